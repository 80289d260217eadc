// Workload S1 in ns-3: N greedy TCP flows over one bottleneck. See ../README.md for the workload.
//
// Packet-hops are counted exactly and for free: the queue of every device counts what it accepts, and what it accepted and
// no longer holds was put on its link. SYN and the handshake's ACK are in it.

#include "dumbbell.h"

#include <algorithm>

using namespace bench;

namespace
{

struct Options
{
    std::string flows;
    std::string variant = "newreno";
    std::string scheduler = "Heap";
    bool sack = true;
    double rate = 1e9;
    uint32_t pairs = 10;
    double duration = 10;
    bool perflow = false;
    double from = 5;
};

Options
Parse(int argc, char** argv)
{
    Options options;
    ns3::CommandLine line(__FILE__);
    line.AddValue("flows", "flow list", options.flows);
    line.AddValue("variant", "newreno or linuxreno", options.variant);
    line.AddValue("scheduler", "Heap, Map, Calendar, PriorityQueue or List", options.scheduler);
    line.AddValue("sack", "selective acknowledgement", options.sack);
    line.AddValue("rate", "bottleneck in bits per second; access links have ten times as much", options.rate);
    line.AddValue("pairs", "host pairs", options.pairs);
    line.AddValue("duration", "seconds simulated", options.duration);
    line.AddValue("from", "seconds after which utilisation and drops are measured", options.from);
    line.AddValue("perflow", "say of each flow what was acknowledged and its mean RTT", options.perflow);
    line.Parse(argc, argv);
    return options;
}

} // namespace

int
main(int argc, char** argv)
{
    const Options options = Parse(argc, argv);
    SetScheduler(options.scheduler);
    const double baseRttSeconds = 0.1;
    const uint32_t bdp = static_cast<uint32_t>(options.rate * baseRttSeconds / kPacketBits);
    const auto lines = ReadFlows(options.flows);
    const uint32_t ssthresh = std::max<uint32_t>(2, bdp / lines.size());
    ConfigureTcp({options.variant, options.sack, 0, ssthresh});

    Dumbbell network(options.pairs);

    std::deque<Direction> directions;
    auto connect = [&](auto a, auto b, double rate, double delayMs) {
        auto devices = Connect(a, b, rate, delayMs);
        directions.emplace_back(devices.Get(0));
        directions.emplace_back(devices.Get(1));
        return devices;
    };

    auto middle = connect(network.Router(0), network.Router(1), options.rate, 48);
    Direction& bottleneck = directions.front();
    bottleneck.SetBuffer(bdp);
    network.ConnectHosts(middle, 10 * options.rate, connect);

    std::deque<Flow> flows = network.Flows(lines);
    if (options.perflow)
    {
        for (auto& flow : flows)
        {
            flow.Watch();
        }
    }

    ns3::Simulator::Schedule(ns3::Seconds(options.from), &Direction::StartMeasuring, &bottleneck);
    ns3::Simulator::Stop(ns3::Seconds(options.duration));
    ns3::Simulator::Run();

    uint64_t hops = 0;
    for (const auto& direction : directions)
    {
        hops += direction.Sent();
    }
    uint64_t sent = 0;
    uint64_t retransmitted = 0;
    for (const auto& flow : flows)
    {
        sent += flow.Sent();
        retransmitted += flow.Retransmitted();
    }
    const double measured = options.duration - options.from;
    JsonLine line;
    line.Add("simulator", "ns-3")
        .Add("workload", "s1")
        .Add("variant", options.variant + (options.sack ? "+sack" : ""))
        .Add("flows", flows.size())
        .Add("rate_bps", options.rate)
        .Add("duration_s", options.duration)
        .Add("packet_hops", hops)
        .Add("hops_counted", "all")
        .Add("segments_sent", sent)
        .Add("retransmissions", retransmitted)
        .Add("buffer_packets", bdp)
        .Add("initial_ssthresh", ssthresh)
        .Add("measured_from_s", options.from)
        .Add("utilization", double(kPacketBits) * bottleneck.SentSince() / (options.rate * measured))
        .Add("drop_rate", double(bottleneck.DroppedSince()) / std::max(1u, bottleneck.ArrivedSince()));
    if (options.perflow)
    {
        line.AddPerFlow("acked_segments", flows, &Flow::AckedSegments);
        line.AddPerFlow("mean_rtt_s", flows, &Flow::MeanRttSeconds);
    }
    return 0;
}
