// Greedy TCP flows over one bottleneck with drop-tail, RED, CoDel, FQ-CoDel or PIE, in ns-3: window laws, recoveries and queue means to compare with photocol's.
// See ../queues.py, which runs it. The network is that of dumbbell.cc; here the bottleneck's queue is a discipline above a device that
// holds one packet, so that q of RED lacks the packet that waits in the device.

#include "dumbbell.h"

#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <map>

using namespace bench;

namespace
{

struct Options
{
    std::string flows;
    std::string variant = "linuxreno";
    std::string recovery = "classic";
    std::string queue = "droptail";
    bool ecn = false;
    bool derandomize = true;
    double markAt = 0;
    uint32_t minRtoMs = 200;
    double rate = 1e8;
    uint32_t buffer = 100;
    uint32_t pairs = 10;
    uint32_t ssthresh = 0;
    double minTh = 50;
    double maxTh = 250;
    double maxP = 0.1;
    double weight = 0.002;
    double duration = 40;
    double from = 15;
};

Options
Parse(int argc, char** argv)
{
    Options options;
    ns3::CommandLine line(__FILE__);
    line.AddValue("flows", "flow list", options.flows);
    line.AddValue("variant", "linuxreno, cubic, dctcp or a law of ChooseLaw", options.variant);
    line.AddValue("recovery", "classic or prr", options.recovery);
    line.AddValue("derandomize", "whether PIE spreads its drops out (RFC 8033, section 5.4)", options.derandomize);
    line.AddValue("queue", "droptail, red, codel, fq-codel, pie or step", options.queue);
    line.AddValue("mark-at", "packets that wait from which on others are marked, with queue step", options.markAt);
    line.AddValue("min-rto-ms", "least retransmission timeout; ns-3 does not restart its timer when it retransmits", options.minRtoMs);
    line.AddValue("ecn", "whether hosts and queue use ECN", options.ecn);
    line.AddValue("rate", "bottleneck in bits per second; access links have ten times as much", options.rate);
    line.AddValue("buffer", "of the bottleneck, in packets", options.buffer);
    line.AddValue("pairs", "host pairs", options.pairs);
    line.AddValue("ssthresh", "slow start ends here at first, in segments; 0: nowhere", options.ssthresh);
    line.AddValue("min-th", "RED's lower threshold in packets", options.minTh);
    line.AddValue("max-th", "RED's upper threshold in packets", options.maxTh);
    line.AddValue("max-p", "RED's probability there", options.maxP);
    line.AddValue("weight", "weight of RED's average", options.weight);
    line.AddValue("duration", "seconds simulated", options.duration);
    line.AddValue("from", "seconds after which is measured", options.from);
    line.Parse(argc, argv);
    return options;
}

// What waits at the bottleneck: in the discipline and in the device. Looked at every millisecond.
class Waiting
{
  public:
    Waiting(ns3::Ptr<ns3::QueueDisc> discipline, ns3::Ptr<ns3::NetDevice> device)
        : m_discipline(discipline),
          m_queue(ns3::DynamicCast<ns3::PointToPointNetDevice>(device)->GetQueue())
    {
    }

    void Start()
    {
        m_dropped = Dropped();
        m_marked = Marked();
        m_arrived = Arrived();
        m_sentBytes = SentBytes();
        Look();
    }

    double Mean() const { return m_sum / std::max<uint64_t>(1, m_looks); }
    double DropRate() const { return double(Dropped() - m_dropped) / std::max<uint64_t>(1, Arrived() - m_arrived); }
    double MarkRate() const { return double(Marked() - m_marked) / std::max<uint64_t>(1, Arrived() - m_arrived); }
    uint64_t SentBytesSince() const { return SentBytes() - m_sentBytes; }

    // Since the start.
    uint64_t Dropped() const { return m_discipline->GetStats().nTotalDroppedPackets; }

  private:
    void Look()
    {
        m_sum += m_discipline->GetNPackets() + m_queue->GetNPackets();
        m_looks++;
        ns3::Simulator::Schedule(ns3::MilliSeconds(1), &Waiting::Look, this);
    }

    uint64_t Marked() const { return m_discipline->GetStats().nTotalMarkedPackets; }
    uint64_t Arrived() const { return m_discipline->GetStats().nTotalReceivedPackets; }
    uint64_t SentBytes() const { return m_discipline->GetStats().nTotalSentBytes; }

    ns3::Ptr<ns3::QueueDisc> m_discipline;
    ns3::Ptr<ns3::Queue<ns3::Packet>> m_queue;
    uint64_t m_dropped = 0;
    uint64_t m_marked = 0;
    uint64_t m_arrived = 0;
    uint64_t m_sentBytes = 0;
    double m_sum = 0;
    uint64_t m_looks = 0;
};

ns3::Ptr<ns3::QueueDisc>
InstallDiscipline(const Options& options, ns3::Ptr<ns3::NetDevice> device)
{
    using namespace ns3;
    TrafficControlHelper helper;
    const auto limit = QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, options.buffer));
    if (options.queue == "red")
    {
        helper.SetRootQueueDisc("ns3::RedQueueDisc",
                                "MaxSize", limit,
                                "MinTh", DoubleValue(options.minTh),
                                "MaxTh", DoubleValue(options.maxTh),
                                "LInterm", DoubleValue(1 / options.maxP),
                                "QW", DoubleValue(options.weight),
                                "Gentle", BooleanValue(true),
                                "Wait", BooleanValue(false),
                                "MeanPktSize", UintegerValue(1500),
                                "LinkBandwidth", DataRateValue(DataRate(uint64_t(options.rate))),
                                "LinkDelay", TimeValue(MilliSeconds(48)));
    }
    else if (options.queue == "step")
    {
        // RED whose thresholds are one and whose average is the queue (RFC 8257 section 3.1).
        helper.SetRootQueueDisc("ns3::RedQueueDisc",
                                "MaxSize", limit,
                                "MinTh", DoubleValue(options.markAt),
                                "MaxTh", DoubleValue(options.markAt),
                                "QW", DoubleValue(1),
                                "Gentle", BooleanValue(false),
                                "UseEcn", BooleanValue(true),
                                "UseHardDrop", BooleanValue(false),
                                "MeanPktSize", UintegerValue(1500),
                                "LinkBandwidth", DataRateValue(DataRate(uint64_t(options.rate))),
                                "LinkDelay", TimeValue(MilliSeconds(48)));
    }
    else if (options.queue == "codel")
    {
        helper.SetRootQueueDisc("ns3::CoDelQueueDisc",
                                "MaxSize", limit,
                                "MinBytes", UintegerValue(1500),
                                "UseEcn", BooleanValue(options.ecn));
    }
    else if (options.queue == "fq-codel")
    {
        helper.SetRootQueueDisc("ns3::FqCoDelQueueDisc", "MaxSize", limit, "UseEcn", BooleanValue(options.ecn));
    }
    else if (options.queue == "pie")
    {
        // As RFC 8033 has it, where ns-3's defaults are Linux's.
        helper.SetRootQueueDisc("ns3::PieQueueDisc",
                                "MaxSize", limit,
                                "MeanPktSize", UintegerValue(1500),
                                "UseDequeueRateEstimator", BooleanValue(true),
                                "DequeueThreshold", UintegerValue(16384),
                                "UseDerandomization", BooleanValue(options.derandomize),
                                "UseEcn", BooleanValue(options.ecn));
    }
    else
    {
        helper.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", limit);
    }
    Ptr<NetDevice> bottleneck = device;
    return helper.Install(bottleneck).Get(0);
}

// The bottleneck has flow control, without which a discipline holds nothing back.
ns3::NetDeviceContainer
ConnectBottleneck(ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b, double rateBps)
{
    using namespace ns3;
    static Ipv4AddressHelper addresses("11.0.0.0", "255.255.255.252");
    PointToPointHelper helper;
    helper.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
    helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(uint64_t(rateBps))));
    helper.SetChannelAttribute("Delay", TimeValue(MilliSeconds(48)));
    return helper.Install(a, b);
}

// The window laws that common.h does not know.
void
ChooseLaw(const std::string& variant)
{
    using namespace ns3;
    const std::map<std::string, std::string> types{{"bbr", "ns3::TcpBbr"},
                                                   {"vegas", "ns3::TcpVegas"},
                                                   {"westwood+", "ns3::TcpWestwood"},
                                                   {"dctcp", "ns3::TcpDctcp"},
                                                   {"scalable", "ns3::TcpScalable"},
                                                   {"bic", "ns3::TcpBic"},
                                                   {"hybla", "ns3::TcpHybla"},
                                                   {"htcp", "ns3::TcpHtcp"},
                                                   {"illinois", "ns3::TcpIllinois"},
                                                   {"lp", "ns3::TcpLp"},
                                                   {"veno", "ns3::TcpVeno"},
                                                   {"yeah", "ns3::TcpYeah"}};
    const auto found = types.find(variant);
    if (found == types.end())
    {
        return;
    }
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName(found->second)));
    if (variant == "westwood+")
    {
        Config::SetDefault("ns3::TcpWestwood::ProtocolType", EnumValue(TcpWestwood::WESTWOODPLUS));
        Config::SetDefault("ns3::TcpWestwood::FilterType", EnumValue(TcpWestwood::TUSTIN));
    }
    if (variant == "dctcp")
    {
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    }
}

std::vector<double> g_windows;
double g_window = 0;

void
NoteWindow()
{
    g_windows.push_back(g_window);
    ns3::Simulator::Schedule(ns3::MilliSeconds(100), &NoteWindow);
}

} // namespace

int
main(int argc, char** argv)
{
    using namespace ns3;
    const Options options = Parse(argc, argv);
    const auto lines = ReadFlows(options.flows);
    ConfigureTcp({"linuxreno", true, 0, options.ssthresh, options.minRtoMs});
    if (options.variant == "cubic")
    {
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
        Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(false));
    }
    if (options.ecn)
    {
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    }
    ChooseLaw(options.variant);
    if (options.recovery == "prr")
    {
        Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpPrrRecovery::GetTypeId()));
    }

    Dumbbell network(options.pairs);
    auto middle = ConnectBottleneck(network.Router(0), network.Router(1), options.rate);
    auto discipline = InstallDiscipline(options, middle.Get(0));
    Options deep;
    deep.buffer = 1000000;
    InstallDiscipline(deep, middle.Get(1));
    Ipv4AddressHelper addresses("11.0.0.0", "255.255.255.252");
    addresses.Assign(middle);
    network.ConnectHosts(middle, 10 * options.rate, Connect);

    std::deque<Flow> flows = network.Flows(lines, 512);
    for (auto& flow : flows)
    {
        flow.Watch();
    }
    flows.front().WatchWindow(&g_window);

    Waiting waiting(discipline, middle.Get(0));
    Simulator::Schedule(Seconds(options.from), &Waiting::Start, &waiting);
    Simulator::Schedule(Seconds(options.from), &NoteWindow);
    Simulator::Stop(Seconds(options.duration));
    Simulator::Run();

    const double measured = options.duration - options.from;
    JsonLine line;
    line.Add("simulator", "ns-3")
        .Add("variant", options.variant)
        .Add("recovery", options.recovery)
        .Add("queue", options.queue)
        .Add("utilization", 8.0 * waiting.SentBytesSince() / (options.rate * measured))
        .Add("drop_rate", waiting.DropRate())
        .Add("mark_rate", waiting.MarkRate())
        .Add("mean_queue", waiting.Mean())
        .Add("dropped", waiting.Dropped())
        .AddPerFlow("retransmitted", flows, &Flow::Retransmitted)
        .AddPerFlow("acked_segments", flows, &Flow::AckedSegments)
        .AddList("window_segments", g_windows);
    return 0;
}
