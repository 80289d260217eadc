//! The resolved network and what happens in it, as plain data: ids and integers, every default applied, nothing
//! optional that must be there, nothing invalid. This room knows no other one.
//!
//! | file | holds |
//! |---|---|
//! | `ids`, `time` | typed indices; true time |
//! | `network`, `routes`, `disjoint` | nodes and links; shortest paths; pairs of paths |
//! | `leaves`, `loads` | hosts at one switch; how much links carry of what pairs send |
//! | `port` | what an output port does besides what every port does |
//! | `transport`, `traffic` | ways to send; rules that yield flows, and flows |
//! | `work` | transfers and computations that wait for others |
//! | `external` | hosts outside of the simulator |
//! | `sizes`, `published` | laws of flow sizes; distributions of papers |
//! | `changes`, `forecast` | links in time; the capacity of a link before it changes |
//! | `delay_law`, `timed`, `route_news` | delays that are laws of time; routes that change in time; news of them |
//! | `events` | what happens by order: links change, segments meet their fates |
//! | `news` | changes of links as senders are told of them |
//! | `scenario` | all of it: a whole run but for what its network switches |

mod changes;
mod delay_law;
mod disjoint;
mod events;
mod external;
mod forecast;
mod ids;
mod leaves;
mod loads;
mod network;
mod news;
mod port;
mod published;
mod route_news;
mod routes;
mod scenario;
mod sizes;
mod time;
mod timed;
mod traffic;
mod transport;
mod work;

pub use changes::{Change, MidPacket, Step, Timeline};
pub use delay_law::{DelayForm, DelayLaw, GONE, Knot, LawfulLink};
pub use disjoint::{PathPair, Ties, delay, disjoint_pair};
pub use events::{Fate, Forced};
pub use external::{Ecn, External, ExternalPacket, MOST_EXTERNAL};
pub use forecast::Forecast;
pub use ids::{LinkId, NodeId, TransportId};
pub use leaves::{Leaf, leaves};
pub use loads::loads;
pub use network::{
    Buffer, Lane, Link, Network, Node, PortController, Position, Role, Routing, RoutingRule, Spread, Weights,
};
pub use news::{LinkNews, NewsErrors, PathPart, Telling, path_changes};
pub use port::{Light, Opening, Packing, PortRule};
pub use published::{
    CACHE_HOMA, DATA_MINING, DATA_MINING_OPERA, DATA_MINING_VL2, HADOOP, HADOOP_HOMA, HADOOP_HPCC, Published,
    WEB_SEARCH, WEB_SEARCH_DCTCP, WEB_SEARCH_OPERA,
};
pub use route_news::{NodePair, RoundTripSizes, RouteNews};
pub use routes::{EqualRoutes, Routes, components};
pub use scenario::{Completion, Probe, RunSpec, Scenario, Selection, Trace};
pub use sizes::{Between, Cdf, FlowSizes, MOST_BYTES, WrongPoint, pareto_least, pareto_mean};
pub use time::SimTime;
pub use timed::{TimedRoute, TimedRoutes, UnderWay};
pub use traffic::{
    Arrivals, BurstLosses, BurstRule, Ends, Flow, Incast, Listed, Load, MAX_EXPONENTIAL_MEAN, MAX_FLOWS, Pairs,
    Requests, SizeLaw, Sojourn, Traffic,
};
pub use transport::{Hears, HostKind, PacketSizes, Protocol, Record, RecordSize, Transport, TransportKind};
pub use work::{Carriers, Connections, Done, Graph, MOST_RANKS, MOST_TASKS, Section, Task, Work};
