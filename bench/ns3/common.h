// What the workloads share in ns-3: TCP as photocol is configured, greedy flows, counters of links.

#pragma once

#include "../peer.h"

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

// The wire carries 1500 bytes: 2 of PPP, 20 of IP, 20 of TCP and these. An ACK has 42.
constexpr uint32_t kPayload = 1458;
constexpr uint16_t kPort = 5001;
constexpr uint32_t kNeverBinding = 1u << 28;

struct TcpOptions
{
    std::string variant;        // newreno, linuxreno
    bool sack;                  // without it, ns-3 retransmits spuriously under loss
    uint32_t windowSegments;    // 0: no limit
    uint32_t initialSsthresh;   // in segments; 0: no limit
    uint32_t minRtoMs = 200;
};

// The window is limited by the send buffer, not by the receiver's window: ns-3 3.37 can crash in the latter case.
inline void
ConfigureTcp(const TcpOptions& options)
{
    Require(options.variant == "newreno" || options.variant == "linuxreno", "unknown variant " + options.variant);
    const bool newReno = options.variant == "newreno";
    const uint32_t window = options.windowSegments ? options.windowSegments * kPayload : kNeverBinding;
    const uint32_t ssthresh = options.initialSsthresh ? options.initialSsthresh * kPayload : kNeverBinding;
    using namespace ns3;
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(newReno ? TcpNewReno::GetTypeId() : TcpLinuxReno::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(options.sack));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(options.minRtoMs)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kPayload));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(ssthresh));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(kNeverBinding));
}

// A stack with static routes only (the default adds global routing, which is asked after it) and no IPv6.
inline void
InstallStack(const ns3::NodeContainer& nodes)
{
    ns3::InternetStackHelper stack;
    stack.SetRoutingHelper(ns3::Ipv4StaticRoutingHelper());
    stack.SetIpv6StackInstall(false);
    stack.Install(nodes);
}

// One direction of a link: the queue of the device that sends on it, which counts what it accepted and what it dropped.
// It does not contain the packet being sent, so its size is that of the buffer.
class Direction
{
  public:
    explicit Direction(ns3::Ptr<ns3::NetDevice> device)
        : m_queue(ns3::DynamicCast<ns3::PointToPointNetDevice>(device)->GetQueue())
    {
    }

    void SetBuffer(uint32_t packets) { m_queue->SetMaxSize(ns3::QueueSize(ns3::QueueSizeUnit::PACKETS, packets)); }

    // Packets put on the link, drops, and bytes put on the link modulo 2^32.
    uint32_t Sent() const { return m_queue->GetTotalReceivedPackets() - m_queue->GetNPackets(); }
    uint32_t Dropped() const { return m_queue->GetTotalDroppedPackets(); }
    uint32_t Arrived() const { return m_queue->GetTotalReceivedPackets() + Dropped(); }
    uint32_t SentBytes() const { return m_queue->GetTotalReceivedBytes() - m_queue->GetNBytes(); }

    void StartMeasuring()
    {
        m_sent = Sent();
        m_dropped = Dropped();
        m_arrived = Arrived();
        m_sentBytes = SentBytes();
    }

    // The same since measuring began; unsigned subtraction undoes a wrap of the counter.
    uint32_t SentSince() const { return Sent() - m_sent; }
    uint32_t DroppedSince() const { return Dropped() - m_dropped; }
    uint32_t ArrivedSince() const { return Arrived() - m_arrived; }
    uint32_t SentBytesSince() const { return SentBytes() - m_sentBytes; }

  private:
    ns3::Ptr<ns3::Queue<ns3::Packet>> m_queue;
    uint32_t m_sent = 0;
    uint32_t m_dropped = 0;
    uint32_t m_arrived = 0;
    uint32_t m_sentBytes = 0;
};

// A duplex link with addresses and deep drop-tail queues. Without flow control ns-3 installs no queue discipline above the
// device's queue either, so that this queue alone is the buffer.
inline ns3::NetDeviceContainer
Connect(ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b, double rateBps, double delayMs)
{
    using namespace ns3;
    static Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    PointToPointHelper helper;
    helper.DisableFlowControl();
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1000000p"));
    helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rateBps))));
    helper.SetChannelAttribute("Delay", TimeValue(MicroSeconds(static_cast<uint64_t>(delayMs * 1000 + 0.5))));
    NetDeviceContainer devices = helper.Install(a, b);
    addresses.Assign(devices);
    addresses.NewNetwork();
    return devices;
}

inline ns3::Ipv4Address
AddressOf(ns3::Ptr<ns3::NetDevice> device)
{
    auto ipv4 = device->GetNode()->GetObject<ns3::Ipv4>();
    return ipv4->GetAddress(ipv4->GetInterfaceForDevice(device), 0).GetLocal();
}

inline uint32_t
InterfaceOf(ns3::Ptr<ns3::NetDevice> device)
{
    return device->GetNode()->GetObject<ns3::Ipv4>()->GetInterfaceForDevice(device);
}

inline ns3::Ptr<ns3::Ipv4StaticRouting>
RoutesOf(ns3::Ptr<ns3::Node> node)
{
    return ns3::Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<ns3::Ipv4>());
}

// The end nodes of a link always reach each other, so a next hop needs no address on a point-to-point link.
inline void
AddDefaultRoute(ns3::Ptr<ns3::NetDevice> device)
{
    RoutesOf(device->GetNode())->SetDefaultRoute(ns3::Ipv4Address::GetZero(), InterfaceOf(device));
}

inline void
Discard(ns3::Ptr<ns3::Socket> socket)
{
    while (socket->Recv())
    {
    }
}

// Accepts connections on `node` and throws away what they bring.
inline void
InstallSink(ns3::Ptr<ns3::Node> node)
{
    using namespace ns3;
    Ptr<Socket> listener = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), kPort));
    listener->Listen();
    listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                Callback<void, Ptr<Socket>, const Address&>(
                                    [](Ptr<Socket> socket, const Address&) {
                                        socket->SetRecvCallback(MakeCallback(&Discard));
                                    }));
}

// A greedy sender. It keeps some segments unsent in the send buffer and never fills it: a full buffer per flow would cost
// memory that the workload does not ask for.
class Flow
{
  public:
    Flow(ns3::Ptr<ns3::Node> from, ns3::Ipv4Address to, double startSeconds, uint32_t chunkSegments)
        : m_node(from),
          m_to(to),
          m_chunk(chunkSegments * kPayload)
    {
        ns3::Simulator::Schedule(ns3::NanoSeconds(static_cast<uint64_t>(startSeconds * 1e9 + 0.5)), &Flow::Start, this);
    }

    uint64_t Sent() const { return m_sent; }
    uint64_t Retransmitted() const { return m_retransmitted; }
    uint64_t AckedSegments() const { return m_acked / kPayload; }
    double MeanRttSeconds() const { return m_rttPolls ? m_rttPolls / m_inverseRtts : 0; }

    // Notes the cumulative ACK, and every 20 ms the last RTT. The harmonic mean of what is found is the mean of samples taken
    // once in a round trip, as photocol and ns-2 take them.
    void Watch() { m_watched = true; }

    // Keeps the congestion window in `segments`, in segments.
    void WatchWindow(double* segments) { m_window = segments; }

  private:
    void Start()
    {
        using namespace ns3;
        m_socket = Socket::CreateSocket(m_node, TcpSocketFactory::GetTypeId());
        m_socket->Bind();
        m_socket->SetConnectCallback(MakeCallback(&Flow::Fill, this), MakeNullCallback<void, Ptr<Socket>>());
        m_socket->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>([this](Ptr<Socket> s, uint32_t) { Fill(s); }));
        m_socket->TraceConnectWithoutContext("Tx", MakeCallback(&Flow::OnTransmit, this));
        if (m_watched)
        {
            m_socket->TraceConnectWithoutContext("HighestRxAck", MakeCallback(&Flow::OnAck, this));
            m_socket->TraceConnectWithoutContext("RTT", MakeCallback(&Flow::OnRtt, this));
            Poll();
        }
        if (m_window)
        {
            m_socket->TraceConnectWithoutContext("CongestionWindow", MakeCallback(&Flow::OnWindow, this));
        }
        m_socket->Connect(InetSocketAddress(m_to, kPort));
    }

    // The SYN takes a sequence number of its own.
    void OnAck(ns3::SequenceNumber32 before, ns3::SequenceNumber32 now)
    {
        m_acked += now.GetValue() - (m_handshake ? 1 : before.GetValue());
        m_handshake = false;
    }

    void OnWindow(uint32_t, uint32_t now) { *m_window = double(now) / kPayload; }

    void OnRtt(ns3::Time, ns3::Time now) { m_rtt = now.GetSeconds(); }

    void Poll()
    {
        if (m_rtt > 0)
        {
            m_inverseRtts += 1 / m_rtt;
            m_rttPolls++;
        }
        ns3::Simulator::Schedule(ns3::MilliSeconds(20), &Flow::Poll, this);
    }

    void Fill(ns3::Ptr<ns3::Socket> socket)
    {
        while (m_written - m_highest < 2 * m_chunk && socket->GetTxAvailable() >= m_chunk)
        {
            if (socket->Send(ns3::Create<ns3::Packet>(m_chunk)) < 0)
            {
                return;
            }
            m_written += m_chunk;
        }
    }

    // Called once per segment that leaves TCP; a few nanoseconds beside the microseconds that ns-3 needs for it.
    void OnTransmit(ns3::Ptr<const ns3::Packet> packet,
                    const ns3::TcpHeader& header,
                    ns3::Ptr<const ns3::TcpSocketBase>)
    {
        if (packet->GetSize() == 0)
        {
            return;
        }
        m_sent++;
        const uint32_t end = header.GetSequenceNumber().GetValue() - 1 + packet->GetSize();
        if (static_cast<int32_t>(end - static_cast<uint32_t>(m_highest)) > 0)
        {
            m_highest += end - static_cast<uint32_t>(m_highest);
        }
        else
        {
            m_retransmitted++;
        }
    }

    ns3::Ptr<ns3::Node> m_node;
    ns3::Ipv4Address m_to;
    ns3::Ptr<ns3::Socket> m_socket;
    uint64_t m_chunk;
    uint64_t m_written = 0; // bytes given to the socket
    uint64_t m_highest = 0; // bytes sent at least once
    uint64_t m_sent = 0;
    uint64_t m_retransmitted = 0;
    bool m_watched = false;
    double* m_window = nullptr;
    bool m_handshake = true;
    uint64_t m_acked = 0; // bytes
    double m_rtt = 0;     // seconds, the last
    double m_inverseRtts = 0;
    uint64_t m_rttPolls = 0;
};

inline void
SetScheduler(const std::string& name)
{
    ns3::Simulator::SetScheduler(ns3::ObjectFactory("ns3::" + name + "Scheduler"));
}

} // namespace bench
