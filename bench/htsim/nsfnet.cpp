// Workload S2 in htsim: 1586 greedy TCP flows over NSFNET with tiny buffers in the core. ../README.md has the workload.
//
// Packet-hops are counted exactly: every output counts the packets that it has sent.

#include "common.h"

#include <sstream>

using namespace bench;

namespace
{

constexpr uint32_t kWindow = 20;

bool
IsCore(const std::string& name)
{
    return name[0] == 'c';
}

// Links and routes of the topology file.
class Network
{
  public:
    Network(const std::string& path, double rateBps, int buffer)
        : m_rateBps(rateBps),
          m_buffer(buffer)
    {
        std::ifstream file(path);
        Require(file.good(), "cannot read the topology '" + path + "'");
        for (std::string text; std::getline(file, text);)
        {
            std::istringstream line(text);
            std::string kind, a, b, third;
            line >> kind >> a >> b >> third;
            if (kind == "link")
            {
                AddLink(a, b, std::stod(third));
                AddLink(b, a, std::stod(third));
            }
            else
            {
                m_nextHops[{a, b}] = third;
            }
        }
    }

    Path PathBetween(const std::string& source, const std::string& destination) const
    {
        Path path;
        for (std::string at = source; at != destination;)
        {
            const std::string& next = m_nextHops.at({at, destination});
            path.push_back(m_links.at({at, next}));
            at = next;
        }
        return path;
    }

    uint64_t PacketHops() const { return Total(coreToCore).sent + Total(coreToEdge).sent + Total(edgeToCore).sent; }

    std::deque<Link> coreToCore;
    std::deque<Link> coreToEdge;
    std::deque<Link> edgeToCore;

  private:
    void AddLink(const std::string& from, const std::string& to, double delayMs)
    {
        const int edgeBuffer = static_cast<int>(0.25 * m_rateBps / kPacketBits);
        auto& group = !IsCore(from) ? edgeToCore : IsCore(to) ? coreToCore : coreToEdge;
        m_links[{from, to}] = &group.emplace_back(m_rateBps, delayMs, IsCore(from) ? m_buffer : edgeBuffer);
    }

    double m_rateBps;
    int m_buffer;
    std::map<std::pair<std::string, std::string>, Link*> m_links;
    std::map<std::pair<std::string, std::string>, std::string> m_nextHops;
};

} // namespace

int
main(int argc, char** argv)
{
    const Options options(
        argc, argv,
        {{"flows", ""}, {"topology", ""}, {"buffer", "6"}, {"rate", "1e9"}, {"duration", "40"}, {"from", "35"}});
    const double rate = options.Number("rate");
    const double duration = options.Number("duration");
    const double from = options.Number("from");
    const int buffer = options.Number("buffer");
    SetEnd(duration);

    Network network(options.Text("topology"), rate, buffer);
    Flows flows;
    for (const auto& line : ReadFlows(options.Text("flows")))
    {
        flows.Add(kWindow, 0).Connect(network.PathBetween(line.source, line.destination),
                                      network.PathBetween(line.destination, line.source), line.startSeconds);
    }
    Counters coreBefore;
    Counters edgeBefore;
    At startMeasuring(from, [&] {
        coreBefore = Total(network.coreToCore);
        edgeBefore = Total(network.coreToEdge);
    });
    Run();

    const Counters core = Total(network.coreToCore) - coreBefore;
    const Counters edge = Total(network.coreToEdge) - edgeBefore;
    Counters outputs = core;
    outputs += edge;
    const double bitsOfALink = rate * (duration - from);
    const size_t coreLinks = network.coreToCore.size();
    const size_t coreOutputs = coreLinks + network.coreToEdge.size();
    JsonLine line;
    Describe(line, "s2", flows, rate, duration, network.PacketHops());
    line.Add("buffer_packets", buffer)
        .Add("measured_from_s", from)
        .Add("utilization_core", 8.0 * core.sentBytes / (bitsOfALink * coreLinks))
        .Add("utilization_core_outputs", 8.0 * outputs.sentBytes / (bitsOfALink * coreOutputs))
        .Add("drop_rate", outputs.DropRate())
        .Add("drop_rate_core_to_core", core.DropRate())
        .Add("carried_to_edges_bps", 8.0 * edge.sentBytes / (duration - from));
    return 0;
}
