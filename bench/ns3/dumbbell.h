// Two routers with host pairs on either side: the network of dumbbell.cc and queues.cc, which differ in the bottleneck between the routers.

#pragma once

#include "common.h"

namespace bench
{

class Dumbbell
{
  public:
    explicit Dumbbell(uint32_t pairs)
        : m_routers(2),
          m_left(pairs),
          m_right(pairs)
    {
        InstallStack(ns3::NodeContainer(m_routers, m_left, m_right));
    }

    ns3::Ptr<ns3::Node> Router(uint32_t side) const { return m_routers.Get(side); }

    // `connect(a, b, rateBps, delayMs)` makes an access link. The routers know their own hosts' subnets and send everything else to each
    // other over `bottleneck`, which has addresses.
    template <typename ConnectLink>
    void ConnectHosts(const ns3::NetDeviceContainer& bottleneck, double rateBps, ConnectLink connect)
    {
        AddDefaultRoute(bottleneck.Get(0));
        AddDefaultRoute(bottleneck.Get(1));
        for (uint32_t i = 0; i < m_left.GetN(); ++i)
        {
            AddDefaultRoute(connect(m_left.Get(i), Router(0), rateBps, 1).Get(0));
            auto access = connect(Router(1), m_right.Get(i), rateBps, 1).Get(1);
            AddDefaultRoute(access);
            m_sinks.push_back(AddressOf(access));
            InstallSink(m_right.Get(i));
        }
    }

    // Greedy flows from the left to the right. ns-3 asks for more data when the cumulative ACK moves, so that what is sent during a
    // recovery must wait in the send buffer: at least a window.
    std::deque<Flow> Flows(const std::vector<FlowLine>& lines, uint32_t chunkSegments = 32) const
    {
        std::deque<Flow> flows;
        for (const auto& line : lines)
        {
            flows.emplace_back(m_left.Get(std::stoul(line.source)), m_sinks.at(std::stoul(line.destination)), line.startSeconds, chunkSegments);
        }
        return flows;
    }

  private:
    ns3::NodeContainer m_routers;
    ns3::NodeContainer m_left;
    ns3::NodeContainer m_right;
    std::vector<ns3::Ipv4Address> m_sinks;
};

} // namespace bench
