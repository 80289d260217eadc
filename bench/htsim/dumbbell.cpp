// Workload S1 in htsim: N greedy TCP flows over one bottleneck. See ../README.md for the workload.
//
// Packet-hops are counted exactly: every output counts the packets that it has sent.

#include "common.h"

using namespace bench;

namespace
{

constexpr double kBaseRttSeconds = 0.1;

// Two routers with host pairs on either side.
class Dumbbell
{
  public:
    Dumbbell(double rateBps, int buffer, int pairs)
    {
        m_middle.emplace_back(rateBps, 48, buffer);
        m_middle.emplace_back(rateBps, 48, kUnlimited);
        for (int i = 0; i < 4 * pairs; ++i)
        {
            m_access.emplace_back(10 * rateBps, 1, kUnlimited);
        }
    }

    const Link& Bottleneck() const { return m_middle[0]; }
    Path There(const FlowLine& flow) { return {Access(flow.source, 0), &m_middle[0], Access(flow.destination, 1)}; }
    Path Back(const FlowLine& flow) { return {Access(flow.destination, 2), &m_middle[1], Access(flow.source, 3)}; }
    uint64_t PacketHops() const { return Total(m_middle).sent + Total(m_access).sent; }

  private:
    // A pair's links in the order in which a packet and its ACK take them.
    Link* Access(const std::string& pair, size_t which) { return &m_access.at(4 * std::stoul(pair) + which); }

    std::deque<Link> m_middle;
    std::deque<Link> m_access;
};

} // namespace

int
main(int argc, char** argv)
{
    const Options options(
        argc, argv, {{"flows", ""}, {"rate", "1e9"}, {"pairs", "10"}, {"duration", "10"}, {"from", "5"}});
    const double rate = options.Number("rate");
    const double duration = options.Number("duration");
    const double from = options.Number("from");
    const auto lines = ReadFlows(options.Text("flows"));
    const uint32_t bdp = static_cast<uint32_t>(rate * kBaseRttSeconds / kPacketBits);
    const uint32_t ssthresh = std::max<uint32_t>(2, bdp / lines.size());
    SetEnd(duration);

    Dumbbell network(rate, bdp, options.Number("pairs"));
    Flows flows;
    for (const auto& line : lines)
    {
        flows.Add(0, ssthresh).Connect(network.There(line), network.Back(line), line.startSeconds);
    }
    Counters before;
    At startMeasuring(from, [&] { before = network.Bottleneck().Counted(); });
    Run();

    const Counters measured = network.Bottleneck().Counted() - before;
    JsonLine line;
    Describe(line, "s1", flows, rate, duration, network.PacketHops());
    line.Add("buffer_packets", bdp)
        .Add("initial_ssthresh", ssthresh)
        .Add("measured_from_s", from)
        .Add("utilization", 8.0 * measured.sentBytes / (rate * (duration - from)))
        .Add("drop_rate", measured.DropRate());
    return 0;
}
