// What both workloads share in htsim: options, links that count, greedy flows of TCP, the clock.

#pragma once

#include "../peer.h"

#include "eventlist.h"
#include "pipe.h"
#include "queue.h"
#include "route.h"
#include "tcp.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

constexpr int kUnlimited = std::numeric_limits<int>::max();
constexpr mem_b kUnlimitedBytes = std::numeric_limits<mem_b>::max();

// Options given as `--name=value` replace the defaults.
class Options
{
  public:
    Options(int argc, char** argv, std::map<std::string, std::string> defaults)
        : m_values(std::move(defaults))
    {
        for (int i = 1; i < argc; ++i)
        {
            const std::string word = argv[i];
            const size_t equals = word.find('=');
            const bool wellFormed = word.rfind("--", 0) == 0 && equals != std::string::npos;
            const auto option = wellFormed ? m_values.find(word.substr(2, equals - 2)) : m_values.end();
            Require(option != m_values.end(), "unknown option " + word);
            option->second = word.substr(equals + 1);
        }
    }

    const std::string& Text(const std::string& name) const { return m_values.at(name); }
    double Number(const std::string& name) const { return std::stod(Text(name)); }

  private:
    std::map<std::string, std::string> m_values;
};

// Whole nanoseconds, as the flow lists have them.
inline simtime_picosec
Picoseconds(double seconds)
{
    return static_cast<simtime_picosec>(std::llround(seconds * 1e9)) * 1000;
}

// Calls something at one instant.
class At : public EventSource
{
  public:
    At(double seconds, std::function<void()> what)
        : EventSource(EventList::getTheEventList(), "at"),
          m_what(std::move(what))
    {
        EventList::sourceIsPending(*this, Picoseconds(seconds));
    }

    void doNextEvent() override { m_what(); }

  private:
    std::function<void()> m_what;
};

struct Counters
{
    uint64_t arrived = 0;
    uint64_t dropped = 0;
    uint64_t sent = 0;
    uint64_t sentBytes = 0;

    Counters& operator+=(const Counters& other)
    {
        arrived += other.arrived;
        dropped += other.dropped;
        sent += other.sent;
        sentBytes += other.sentBytes;
        return *this;
    }

    Counters operator-(const Counters& before) const
    {
        return {arrived - before.arrived, dropped - before.dropped, sent - before.sent, sentBytes - before.sentBytes};
    }

    double DropRate() const { return double(dropped) / std::max<uint64_t>(1, arrived); }
};

// htsim's queue with counters and room for a number of waiting packets. htsim's own has room for bytes: 37 ACKs take no
// more of it than a segment, and the packet that is being sent takes some, too.
class Output : public Queue
{
  public:
    Output(double rateBps, int waitingRoom)
        : Queue(static_cast<linkspeed_bps>(rateBps), kUnlimitedBytes, EventList::getTheEventList(), nullptr),
          m_waitingRoom(waitingRoom)
    {
    }

    const Counters& Counted() const { return m_counters; }

    void receivePacket(Packet& packet) override
    {
        ++m_counters.arrived;
        if (_enqueued.size() > m_waitingRoom)
        {
            ++m_counters.dropped;
            packet.free();
            return;
        }
        Queue::receivePacket(packet);
    }

  protected:
    void completeService() override
    {
        ++m_counters.sent;
        m_counters.sentBytes += _enqueued.next_to_pop()->size();
        Queue::completeService();
    }

  private:
    int m_waitingRoom;
    Counters m_counters;
};

// One direction of a link.
class Link
{
  public:
    Link(double rateBps, double delayMs, int waitingRoom)
        : m_output(rateBps, waitingRoom),
          m_pipe(Picoseconds(delayMs / 1000))
    {
    }

    const Counters& Counted() const { return m_output.Counted(); }

    void AppendTo(Route& route)
    {
        route.push_back(&m_output);
        route.push_back(&m_pipe);
    }

  private:
    Output m_output;
    Pipe m_pipe;
};

using Path = std::vector<Link*>;

inline Counters
Total(const std::deque<Link>& links)
{
    Counters sum;
    for (const auto& link : links)
    {
        sum += link.Counted();
    }
    return sum;
}

// A greedy flow. It starts with data, as in ns-2 and photocol; htsim's SYN has no time stamp, of which it makes an RTT.
class Flow : public TcpSrc
{
  public:
    // Window and initial ssthresh in packets; 0: no limit.
    Flow(uint32_t window, uint32_t ssthresh)
        : TcpSrc(nullptr, nullptr, EventList::getTheEventList())
    {
        set_cwnd(2 * _mss);
        set_ssthresh(ssthresh ? ssthresh * _mss : std::numeric_limits<uint32_t>::max());
        _maxcwnd = window ? window * _mss : std::numeric_limits<uint32_t>::max();
    }

    void Connect(const Path& there, const Path& back, double startSeconds)
    {
        for (Link* link : there)
        {
            link->AppendTo(m_there);
        }
        m_there.push_back(&m_sink);
        for (Link* link : back)
        {
            link->AppendTo(m_back);
        }
        m_back.push_back(this);
        connect(m_there, m_back, m_sink, Picoseconds(startSeconds));
    }

    // The start or, later, a retransmission timeout, after which htsim sends again from the cumulative ACK on.
    void doNextEvent() override
    {
        if (!_established)
        {
            _established = true;
            send_packets();
            return;
        }
        ++m_timeouts;
        m_highest = Highest();
        TcpSrc::doNextEvent();
    }

    uint64_t Sent() const { return _packets_sent / _mss; }
    uint64_t Retransmitted() const { return Sent() - Highest() / _mss; }
    uint64_t Timeouts() const { return m_timeouts; }

  private:
    // Bytes sent at least once.
    uint64_t Highest() const { return std::max(m_highest, _highest_sent); }

    Route m_there;
    Route m_back;
    TcpSink m_sink;
    uint64_t m_timeouts = 0;
    uint64_t m_highest = 0;
};

// All flows, and the timer that looks at each of them every 10 ms.
class Flows
{
  public:
    Flows()
        : m_scanner(timeFromMs(10), EventList::getTheEventList())
    {
    }

    Flow& Add(uint32_t window, uint32_t ssthresh)
    {
        Flow& flow = m_flows.emplace_back(window, ssthresh);
        m_scanner.registerTcp(flow);
        return flow;
    }

    uint64_t Total(uint64_t (Flow::*value)() const) const
    {
        uint64_t sum = 0;
        for (const auto& flow : m_flows)
        {
            sum += (flow.*value)();
        }
        return sum;
    }

    size_t Size() const { return m_flows.size(); }

  private:
    TcpRtxTimerScanner m_scanner;
    std::deque<Flow> m_flows;
};

// To be called before anything is scheduled: htsim compares with the end then, and not later.
inline void
SetEnd(double seconds)
{
    Packet::set_packet_size(kPacketBits / 8);
    EventList::setEndtime(Picoseconds(seconds));
}

// What the line of JSON of either workload begins with.
inline void
Describe(JsonLine& line, const std::string& workload, const Flows& flows, double rateBps, double seconds, uint64_t hops)
{
    line.Add("simulator", "htsim")
        .Add("workload", workload)
        .Add("variant", "newreno")
        .Add("flows", flows.Size())
        .Add("rate_bps", rateBps)
        .Add("duration_s", seconds)
        .Add("packet_hops", hops)
        .Add("hops_counted", "all")
        .Add("segments_sent", flows.Total(&Flow::Sent))
        .Add("retransmissions", flows.Total(&Flow::Retransmitted))
        .Add("timeouts", flows.Total(&Flow::Timeouts));
}

// htsim prints a line at every timeout.
inline void
Run()
{
    std::cout.setstate(std::ios::failbit);
    while (EventList::doNextEvent())
    {
    }
    std::cout.clear();
}

} // namespace bench
