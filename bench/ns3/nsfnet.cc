// Workload S2 in ns-3: 1586 greedy TCP flows over NSFNET with tiny buffers in the core. See ../README.md for the workload.
//
// Packet-hops are counted exactly and for free: the queue of every device counts what it accepts, and what it accepted and
// no longer holds was put on its link. SYN and the handshake's ACK are in it.

#include "common.h"

#include <algorithm>
#include <map>
#include <sstream>

using namespace bench;

namespace
{

struct Options
{
    std::string flows;
    std::string topology;
    std::string variant = "newreno";
    std::string scheduler = "Heap";
    bool sack = true;
    uint32_t buffer = 6;
    double rate = 1e9;
    double duration = 40;
    bool perflow = false;
    double from = 35;
};

Options
Parse(int argc, char** argv)
{
    Options options;
    ns3::CommandLine line(__FILE__);
    line.AddValue("flows", "flow list", options.flows);
    line.AddValue("topology", "links and routes", options.topology);
    line.AddValue("variant", "newreno or linuxreno", options.variant);
    line.AddValue("scheduler", "Heap, Map, Calendar, PriorityQueue or List", options.scheduler);
    line.AddValue("sack", "selective acknowledgement", options.sack);
    line.AddValue("buffer", "packets that can wait at an output of a core node", options.buffer);
    line.AddValue("rate", "every link, in bits per second", options.rate);
    line.AddValue("duration", "seconds simulated", options.duration);
    line.AddValue("from", "seconds after which utilisation and drops are measured", options.from);
    line.AddValue("perflow", "say of each flow what was acknowledged and its mean RTT", options.perflow);
    line.Parse(argc, argv);
    return options;
}

bool
IsCore(const std::string& name)
{
    return name[0] == 'c';
}

// Nodes, links and routes of the topology file.
class Network
{
  public:
    explicit Network(const Options& options)
        : m_options(options)
    {
        std::ifstream file(options.topology);
        Require(file.good(), "cannot read the topology '" + options.topology + "'");
        for (std::string text; std::getline(file, text);)
        {
            std::istringstream line(text);
            std::string kind;
            std::string a;
            std::string b;
            line >> kind >> a >> b;
            if (kind == "link")
            {
                double delayMs;
                line >> delayMs;
                AddLink(a, b, delayMs);
            }
            else
            {
                std::string next;
                line >> next;
                RoutesOf(NodeNamed(a))->AddHostRouteTo(AddressNamed(b), InterfaceOf(m_devices.at({a, next})));
            }
        }
    }

    ns3::Ptr<ns3::Node> NodeNamed(const std::string& name)
    {
        auto& node = m_nodes[name];
        if (!node)
        {
            node = ns3::CreateObject<ns3::Node>();
            InstallStack(node);
        }
        return node;
    }

    // An edge node has one link, and the address of that end.
    ns3::Ipv4Address AddressNamed(const std::string& edge)
    {
        return AddressOf(m_devices.at({edge, "c" + edge.substr(1)}));
    }

    std::deque<Direction> coreToCore;
    std::deque<Direction> coreToEdge;
    std::deque<Direction> edgeToCore;

  private:
    void AddLink(const std::string& a, const std::string& b, double delayMs)
    {
        const uint32_t edgeBuffer = static_cast<uint32_t>(0.25 * m_options.rate / kPacketBits);
        auto devices = Connect(NodeNamed(a), NodeNamed(b), m_options.rate, delayMs);
        auto add = [&](const std::string& from, const std::string& to, uint32_t device) {
            m_devices[{from, to}] = devices.Get(device);
            auto& group = !IsCore(from) ? edgeToCore : IsCore(to) ? coreToCore : coreToEdge;
            group.emplace_back(devices.Get(device)).SetBuffer(IsCore(from) ? m_options.buffer : edgeBuffer);
        };
        add(a, b, 0);
        add(b, a, 1);
    }

    Options m_options;
    std::map<std::string, ns3::Ptr<ns3::Node>> m_nodes;
    std::map<std::pair<std::string, std::string>, ns3::Ptr<ns3::NetDevice>> m_devices;
};

// Sum of one counter over links.
uint64_t
Total(const std::deque<Direction>& links, uint32_t (Direction::*counter)() const)
{
    uint64_t sum = 0;
    for (const auto& link : links)
    {
        sum += (link.*counter)();
    }
    return sum;
}

} // namespace

int
main(int argc, char** argv)
{
    const Options options = Parse(argc, argv);
    SetScheduler(options.scheduler);
    ConfigureTcp({options.variant, options.sack, 20, 0});

    Network network(options);
    for (int i = 0; i < 14; ++i)
    {
        InstallSink(network.NodeNamed("e" + std::to_string(i)));
    }
    std::deque<Flow> flows;
    for (const auto& line : ReadFlows(options.flows))
    {
        flows.emplace_back(network.NodeNamed(line.source), network.AddressNamed(line.destination), line.startSeconds, 1);
        if (options.perflow)
        {
            flows.back().Watch();
        }
    }

    auto startMeasuring = [&network] {
        for (auto* group : {&network.coreToCore, &network.coreToEdge})
        {
            for (auto& link : *group)
            {
                link.StartMeasuring();
            }
        }
    };
    ns3::Simulator::Schedule(ns3::Seconds(options.from), startMeasuring);
    ns3::Simulator::Stop(ns3::Seconds(options.duration));
    ns3::Simulator::Run();

    uint64_t sent = 0;
    uint64_t retransmitted = 0;
    for (const auto& flow : flows)
    {
        sent += flow.Sent();
        retransmitted += flow.Retransmitted();
    }
    const uint64_t hops = Total(network.coreToCore, &Direction::Sent) + Total(network.coreToEdge, &Direction::Sent) +
                          Total(network.edgeToCore, &Direction::Sent);
    const double measured = options.duration - options.from;
    const double coreBits = 8.0 * Total(network.coreToCore, &Direction::SentBytesSince);
    const double edgeBits = 8.0 * Total(network.coreToEdge, &Direction::SentBytesSince);
    const double coreDrops = Total(network.coreToCore, &Direction::DroppedSince);
    const double edgeDrops = Total(network.coreToEdge, &Direction::DroppedSince);
    const double coreArrivals = Total(network.coreToCore, &Direction::ArrivedSince);
    const double edgeArrivals = Total(network.coreToEdge, &Direction::ArrivedSince);
    const size_t coreLinks = network.coreToCore.size();
    const size_t coreOutputs = coreLinks + network.coreToEdge.size();
    JsonLine line;
    line.Add("simulator", "ns-3")
        .Add("workload", "s2")
        .Add("variant", options.variant + (options.sack ? "+sack" : ""))
        .Add("flows", flows.size())
        .Add("rate_bps", options.rate)
        .Add("duration_s", options.duration)
        .Add("packet_hops", hops)
        .Add("hops_counted", "all")
        .Add("segments_sent", sent)
        .Add("retransmissions", retransmitted)
        .Add("buffer_packets", options.buffer)
        .Add("measured_from_s", options.from)
        .Add("utilization_core", coreBits / (options.rate * measured * coreLinks))
        .Add("utilization_core_outputs", (coreBits + edgeBits) / (options.rate * measured * coreOutputs))
        .Add("drop_rate", (coreDrops + edgeDrops) / std::max(1.0, coreArrivals + edgeArrivals))
        .Add("drop_rate_core_to_core", coreDrops / std::max(1.0, coreArrivals))
        .Add("carried_to_edges_bps", edgeBits / measured);
    if (options.perflow)
    {
        line.AddPerFlow("acked_segments", flows, &Flow::AckedSegments);
        line.AddPerFlow("mean_rtt_s", flows, &Flow::MeanRttSeconds);
    }
    return 0;
}
