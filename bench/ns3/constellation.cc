// A cut of a constellation in ns-3: the file of contacts that photocol runs, over point-to-point links and static routes.
//
// A link is there from the beginning, and its delay is set anew at each step of its contacts. A route of a pair is host routes at its
// nodes, which are replaced when it changes: packets under way follow the tables that they meet, the old ones where the new route is not.
// Packet-hops are counted exactly and for free: the queue of every device counts what it accepts, and what it accepted and no longer
// holds was put on its link.

#include "common.h"

#include <map>
#include <sstream>

using namespace bench;

namespace
{

constexpr double kPsPerNs = 1000;

struct Options
{
    std::string contacts;
    std::string flows;
    double rate = 1e7;
    uint32_t buffer = 100;
    double duration = 20;
};

Options
Parse(int argc, char** argv)
{
    Options options;
    ns3::CommandLine line(__FILE__);
    line.AddValue("contacts", "the file of contacts", options.contacts);
    line.AddValue("flows", "flow list; ends are numbers of nodes of that file", options.flows);
    line.AddValue("rate", "every link, in bits per second", options.rate);
    line.AddValue("buffer", "packets that can wait at an output", options.buffer);
    line.AddValue("duration", "seconds simulated", options.duration);
    line.Parse(argc, argv);
    return options;
}

using Pair = std::pair<uint32_t, uint32_t>;

ns3::Time
Picoseconds(const std::string& text)
{
    return ns3::NanoSeconds(static_cast<uint64_t>(std::stod(text) / kPsPerNs + 0.5));
}

std::vector<std::string>
Words(const std::string& text, char between)
{
    std::vector<std::string> words;
    std::istringstream line(text);
    for (std::string word; std::getline(line, word, between);)
    {
        words.push_back(word);
    }
    return words;
}

// Nodes, links and routes of a file of contacts. Names have no commas. A station is the source of one flow at most.
class Network
{
  public:
    Network(const Options& options, const std::vector<FlowLine>& flows)
        : m_options(options)
    {
        std::ifstream file(options.contacts);
        Require(file.good(), "cannot read the contacts '" + options.contacts + "'");
        std::string text;
        std::getline(file, text);
        Require(text == "photocol-contacts,1", "no file of contacts");
        std::vector<std::vector<std::string>> routes;
        while (std::getline(file, text))
        {
            const auto fields = Words(text, ',');
            if (fields[0] == "node")
            {
                m_nodes.push_back(ns3::CreateObject<ns3::Node>());
                InstallStack(m_nodes.back());
            }
            else if (fields[0] == "contact")
            {
                AddContact(fields);
            }
            else if (fields[0] == "route")
            {
                routes.push_back(fields);
            }
        }
        for (const auto& flow : flows)
        {
            FindAddress(flow, routes);
        }
        for (const auto& fields : routes)
        {
            AddRoute(fields);
        }
    }

    ns3::Ptr<ns3::Node> NodeOf(const std::string& number) const { return m_nodes.at(std::stoul(number)); }

    // That of the device over which its flow begins, else of its first: a node takes packets for any of its addresses.
    ns3::Ipv4Address AddressOfNode(uint32_t number) const
    {
        const auto found = m_addresses.find(number);
        return found == m_addresses.end() ? AddressOf(m_nodes.at(number)->GetDevice(1)) : found->second;
    }

    std::deque<Direction> directions;

  private:
    void AddContact(const std::vector<std::string>& fields)
    {
        const Pair ends(std::stoul(fields[1]), std::stoul(fields[2]));
        const auto delays = Words(fields[5], ' ');
        if (!m_devices.count(ends))
        {
            auto devices = Connect(m_nodes.at(ends.first), m_nodes.at(ends.second), m_options.rate, 1);
            m_devices[ends] = devices.Get(0);
            m_devices[{ends.second, ends.first}] = devices.Get(1);
            for (uint32_t side = 0; side < 2; ++side)
            {
                directions.emplace_back(devices.Get(side));
                directions.back().SetBuffer(m_options.buffer);
            }
            SetDelay(m_devices[ends]->GetChannel(), delays.front());
        }
        const auto channel = m_devices[ends]->GetChannel();
        const auto start = Picoseconds(fields[3]);
        for (size_t step = 0; step < delays.size(); ++step)
        {
            const auto when = start + Picoseconds(fields[4]) * static_cast<int64_t>(step);
            ns3::Simulator::Schedule(when, &Network::SetDelay, channel, delays[step]);
        }
    }

    // A socket has the address of the device over which its first packet leaves.
    void FindAddress(const FlowLine& flow, const std::vector<std::vector<std::string>>& routes)
    {
        for (const auto& fields : routes)
        {
            if (fields[1] == "0" && fields[2] == flow.source && fields[3] == flow.destination)
            {
                const auto nodes = Words(fields.at(4), ' ');
                m_addresses[std::stoul(flow.source)] = AddressOf(m_devices.at({std::stoul(nodes[0]), std::stoul(nodes[1])}));
                return;
            }
        }
        Require(false, "a flow has no route at the beginning");
    }

    static void SetDelay(ns3::Ptr<ns3::Channel> channel, const std::string& delay)
    {
        channel->SetAttribute("Delay", ns3::TimeValue(Picoseconds(delay)));
    }

    void AddRoute(const std::vector<std::string>& fields)
    {
        const auto nodes = Words(fields.size() > 4 ? fields[4] : "", ' ');
        const auto when = Picoseconds(fields[1]);
        const uint32_t target = std::stoul(fields[3]);
        for (size_t place = 1; place < nodes.size(); ++place)
        {
            const uint32_t node = std::stoul(nodes[place - 1]);
            const auto device = m_devices.at({node, std::stoul(nodes[place])});
            if (when.IsZero())
            {
                SetRoute(m_nodes[node], AddressOfNode(target), device);
            }
            else
            {
                ns3::Simulator::Schedule(when, &Network::SetRoute, m_nodes[node], AddressOfNode(target), device);
            }
        }
    }

    static void SetRoute(ns3::Ptr<ns3::Node> node, ns3::Ipv4Address target, ns3::Ptr<ns3::NetDevice> device)
    {
        const auto routes = RoutesOf(node);
        for (uint32_t number = 0; number < routes->GetNRoutes(); ++number)
        {
            if (routes->GetRoute(number).IsHost() && routes->GetRoute(number).GetDest() == target)
            {
                routes->RemoveRoute(number);
                break;
            }
        }
        routes->AddHostRouteTo(target, InterfaceOf(device));
    }

    const Options& m_options;
    std::vector<ns3::Ptr<ns3::Node>> m_nodes;
    std::map<Pair, ns3::Ptr<ns3::NetDevice>> m_devices;
    std::map<uint32_t, ns3::Ipv4Address> m_addresses;
};

} // namespace

int
main(int argc, char** argv)
{
    const Options options = Parse(argc, argv);
    const auto lines = ReadFlows(options.flows);
    ConfigureTcp({"newreno", true, 0, 0});
    SetScheduler("Heap");
    Network network(options, lines);

    std::deque<Flow> flows;
    for (const auto& line : lines)
    {
        const auto sink = network.NodeOf(line.destination);
        InstallSink(sink);
        flows.emplace_back(network.NodeOf(line.source), network.AddressOfNode(std::stoul(line.destination)), line.startSeconds, 32);
        flows.back().Watch();
    }
    ns3::Simulator::Stop(ns3::Seconds(options.duration));
    ns3::Simulator::Run();

    uint64_t hops = 0;
    uint64_t dropped = 0;
    for (const auto& direction : network.directions)
    {
        hops += direction.Sent();
        dropped += direction.Dropped();
    }
    JsonLine line;
    line.Add("simulator", "ns-3")
        .Add("workload", "constellation")
        .Add("variant", "newreno+sack")
        .Add("flows", flows.size())
        .Add("duration_s", options.duration)
        .Add("packet_hops", hops)
        .Add("dropped", dropped);
    line.AddPerFlow("acked_segments", flows, &Flow::AckedSegments);
    return 0;
}
