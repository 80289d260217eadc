// What the programs for the peers in C++ share: the flow list that they read and the line of JSON that they print.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

namespace bench
{

constexpr uint32_t kPacketBits = 12000;

inline void
Require(bool condition, const std::string& message)
{
    if (!condition)
    {
        std::cerr << message << std::endl;
        std::exit(2);
    }
}

struct FlowLine
{
    double startSeconds;
    std::string source;
    std::string destination;
};

inline std::vector<FlowLine>
ReadFlows(const std::string& path)
{
    std::ifstream file(path);
    Require(file.good(), "cannot read the flow list '" + path + "'");
    std::vector<FlowLine> flows;
    for (FlowLine line; file >> line.startSeconds >> line.source >> line.destination;)
    {
        flows.push_back(line);
    }
    return flows;
}

// One line of JSON, written field by field.
class JsonLine
{
  public:
    ~JsonLine() { std::cout << "}" << std::endl; }

    template <typename Value>
    JsonLine& Add(const std::string& name, const Value& value)
    {
        if constexpr (std::is_convertible_v<Value, std::string>)
        {
            Name(name) << '"' << value << '"';
        }
        else
        {
            Name(name) << value;
        }
        return *this;
    }

    // A list, one entry per flow.
    template <typename Flow, typename Value>
    JsonLine& AddPerFlow(const std::string& name, const std::deque<Flow>& flows, Value (Flow::*value)() const)
    {
        Name(name) << '[';
        for (size_t i = 0; i < flows.size(); ++i)
        {
            std::cout << (i ? ", " : "") << (flows[i].*value)();
        }
        std::cout << ']';
        return *this;
    }

    JsonLine& AddList(const std::string& name, const std::vector<double>& values)
    {
        Name(name) << '[';
        for (size_t i = 0; i < values.size(); ++i)
        {
            std::cout << (i ? ", " : "") << values[i];
        }
        std::cout << ']';
        return *this;
    }

  private:
    std::ostream& Name(const std::string& name)
    {
        std::cout.precision(12);
        std::cout << (m_empty ? "{" : ", ") << '"' << name << "\": ";
        m_empty = false;
        return std::cout;
    }

    bool m_empty = true;
};

} // namespace bench
