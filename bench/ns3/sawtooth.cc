// One or two flows over 10 Mb/s, a round trip of 100 ms, a drop-tail buffer: goodput of each, and timeouts.
#include <cstring>
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include <iostream>
using namespace ns3;
static uint32_t g_timeouts, g_late;
static double g_warm;
static void State(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t to) {
    if (to == TcpSocketState::CA_LOSS) { g_timeouts++; if (Simulator::Now().GetSeconds() > g_warm) g_late++; }
}
static void Hook(Ptr<Application> app) {
    Ptr<Socket> s = DynamicCast<BulkSendApplication>(app)->GetSocket();
    if (s) s->TraceConnectWithoutContext("CongState", MakeCallback(&State));
}
static void Note(Ptr<PacketSink> sink, uint64_t* at) { *at = sink->GetTotalRx(); }
int main(int argc, char** argv) {
    std::string law = "TcpNewReno", rate = "10Mbps", delay = "48ms", access = "1ms", accessRate = "1Gbps";
    uint32_t buffer = 83, flows = 1, initial = 10, delack = 1, count = 0, segment = 1448, ssthresh = 0;
    double duration = 60, warm = 10;
    CommandLine cmd;
    cmd.AddValue("law", "", law); cmd.AddValue("buffer", "", buffer); cmd.AddValue("flows", "", flows);
    cmd.AddValue("rate", "", rate); cmd.AddValue("delay", "", delay); cmd.AddValue("access", "", access);
    cmd.AddValue("accessRate", "", accessRate);
    cmd.AddValue("duration", "", duration); cmd.AddValue("warm", "", warm); cmd.AddValue("initial", "", initial);
    cmd.AddValue("delack", "", delack); cmd.AddValue("scalableCount", "", count); cmd.AddValue("segment", "", segment);
    cmd.AddValue("ssthresh", "", ssthresh);
    cmd.Parse(argc, argv);
    g_warm = warm;
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + law)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(initial));
    if (ssthresh) Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(ssthresh * segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(delack));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 24));
    if (law == "TcpHybla") Config::SetDefault("ns3::TcpHybla::RRTT", TimeValue(MilliSeconds(25)));  // the paper's; ns-3 has 50 ms
    if (law == "TcpDctcp") Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    if (law == "TcpScalable" && count) Config::SetDefault("ns3::TcpScalable::AIFactor", UintegerValue(count));
    NodeContainer routers; routers.Create(2);
    NodeContainer left, right; left.Create(flows); right.Create(flows);
    InternetStackHelper stack; stack.Install(routers); stack.Install(left); stack.Install(right);
    PointToPointHelper core, edge;
    core.SetDeviceAttribute("DataRate", StringValue(rate)); core.SetChannelAttribute("Delay", StringValue(delay));
    core.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(std::to_string(buffer) + "p"));
    edge.SetDeviceAttribute("DataRate", StringValue(accessRate)); edge.SetChannelAttribute("Delay", StringValue(access));
    edge.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));
    Ipv4AddressHelper addr; TrafficControlHelper tc;
    addr.SetBase("10.0.0.0", "255.255.255.0");
    auto cd = core.Install(routers); addr.Assign(cd); tc.Uninstall(cd);
    std::vector<Ptr<PacketSink>> sinks; std::vector<uint64_t> from(flows);
    for (uint32_t i = 0; i < flows; i++) {
        std::string a = "10.1." + std::to_string(i) + ".0", b = "10.2." + std::to_string(i) + ".0";
        addr.SetBase(a.c_str(), "255.255.255.0");
        auto l = edge.Install(left.Get(i), routers.Get(0)); addr.Assign(l); tc.Uninstall(l);
        addr.SetBase(b.c_str(), "255.255.255.0");
        auto r = edge.Install(routers.Get(1), right.Get(i)); auto ri = addr.Assign(r); tc.Uninstall(r);
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(ri.GetAddress(1), 9));
        auto app = bulk.Install(left.Get(i)); app.Start(Seconds(1.0 * i)); app.Stop(Seconds(duration));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
        auto s = sink.Install(right.Get(i)); s.Start(Seconds(0));
        sinks.push_back(DynamicCast<PacketSink>(s.Get(0)));
        Simulator::Schedule(Seconds(1.0 * i + 0.0001), &Hook, app.Get(0));
        Simulator::Schedule(Seconds(warm), &Note, sinks[i], &from[i]);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Simulator::Stop(Seconds(duration)); Simulator::Run();
    double sum = 0, squares = 0;
    std::cout << law << "," << buffer << "," << flows;
    std::string all;
    for (uint32_t i = 0; i < flows; i++) {
        double g = (sinks[i]->GetTotalRx() - from[i]) * 8.0 / (duration - warm) / 1e6;
        sum += g; squares += g * g;
    }
    std::cout << "," << sum << "," << g_timeouts << "," << g_late << "," << sum * sum / (flows * squares) << "\n";
    Simulator::Destroy();
}
