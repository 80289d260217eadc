//! Closed-form models of transport over optical networks, each from a named source and checked against something that
//! does not know its formula.
//!
//! A model is one file: what it takes and gives is declared with `model!` of declare.rs, and a function computes the
//! one from the other. Its line in the registry below gives it a name, a source and a sentence; every face (command
//! line, JSON, Python, docs/reference/models.md) shows both. All inputs have ranges. Outside of them, and where the
//! equations have no solution, the answer is an error that names the input; no answer is ever NaN or infinite.

#![allow(rustdoc::broken_intra_doc_links, reason = "E[W] is an expectation and W[k] an element; neither is a link")]

mod declare;
mod error;
mod input;
mod model;
pub mod reading;

// What several models compute with.
mod chain;
mod dlcc;
mod load_balanced;
mod quadrature;
mod told;
mod xcp;

pub mod aapn;
pub mod abc_rest;
pub mod copa_rest;
pub mod cubic_response;
pub mod dlcc_synchronized;
pub mod dlcc_unsynchronized;
pub mod engset;
pub mod erlang_b;
pub mod gaimd;
pub mod grant_loop;
pub mod highspeed;
pub mod hpcc_rest;
pub mod jet_classes;
pub mod md1k;
pub mod mesh;
pub mod mmck;
pub mod output_queue;
pub mod pftk;
pub mod powertcp_rest;
pub mod rcp_rest;
pub mod retransmission;
pub mod rr_tcp_lb_obs;
pub mod sack_lb_obs;
pub mod shared_buffer;
pub mod swift_rest;
pub mod tcp_eng;
pub mod tcp_fluid;
pub mod tfrc;
pub mod xcp_cl;
pub mod xcp_convergence;
pub mod xcp_macroflow;
pub mod xcp_packet;
pub mod xcp_stability;
pub mod xcp_two_links;

#[cfg(test)]
mod random;
#[cfg(test)]
mod rounds;

pub use error::Error;
pub use input::{Argument, Choice, Input, Kind, Range, Unit, Value};
pub use model::{Answer, Answers, Arguments, IntoAnswer, Model, Output, PointError};

use options::registry;

registry! {
    /// The models by name: those of the papers in the papers' order, then the field's standard ones.
    pub enum Name: &'static Model {
        DlccSynchronized = "dlcc-synchronized", "Lu and Hunter, dual-layer congestion control, 2009, §V.D, §V.E, \
            eqs. (2)–(10)",
            "Packets lost and edge buffer needed when UDP's rate jumps beside one TCP flow, or beside flows that \
            halve together, with and without dual-layer control.": &dlcc_synchronized::MODEL;
        DlccUnsynchronized = "dlcc-unsynchronized", "Lu and Hunter, dual-layer congestion control, 2009, §V.F",
            "Packets lost and edge buffer needed when UDP's rate jumps beside many TCP flows that halve one by one, \
            with and without dual-layer control.": &dlcc_unsynchronized::MODEL;
        TcpEng = "tcp-eng", "Shihada, Ho and Zhang, TCP-ENG, §III, eqs. (1)–(23)",
            "Throughput of TCP-ENG (GAIMD with explicit burst loss notification) over OBS with random burst losses.":
            &tcp_eng::MODEL;
        XcpMacroflow = "xcp-macroflow", "Alparslan, Arakawa and Murata (paper 002), §2.1.1, §2.1.2, §2.2",
            "Feedback of an XCP router to one macroflow in a control interval, and the rate at which all of it \
            vanishes.": &xcp_macroflow::MODEL;
        XcpPacket = "xcp-packet", "Katabi, Handley and Rohrs, SIGCOMM 2002, §3.5; paper 003, Appendix A, eqs. (A.1), \
            (A.2)",
            "Feedback of an XCP router to one packet, and what it changes in the window and the rate of its flow.":
            &xcp_packet::MODEL;
        XcpTwoLinks = "xcp-two-links", "Low, Andrew and Wydrowski, INFOCOM 2005; solved for one shared and one \
            limiting link",
            "Rates of flows over two XCP links, one of them limited only by flows that the other limits, beside their \
            max-min shares.": &xcp_two_links::MODEL;
        XcpStability = "xcp-stability", "Katabi, Handley and Rohrs, SIGCOMM 2002, §4, theorem 1",
            "Stability of XCP's efficiency controller: the bound on α, the β that belongs to it, crossover and phase \
            margin.": &xcp_stability::MODEL;
        XcpConvergence = "xcp-convergence", "Katabi, Handley and Rohrs, SIGCOMM 2002, §3.5: recursions of the two \
            controllers",
            "Control intervals until XCP has filled a link, and until its flows share it equally.":
            &xcp_convergence::MODEL;
        XcpCl = "xcp-cl", "Paper 003 (AAPN signalling and XCP-CL), §4.2 (worked example), eq. (4.1)",
            "Fair rate and window of a flow after its edge node has been assigned slots, and the change that XCP-CL \
            tells it.": &xcp_cl::MODEL;
        Aapn = "aapn-signalling", "Paper 003 (AAPN signalling and XCP-CL), eqs. (3.1), (3.2), (3.6), (4.1)",
            "Signalling overhead, time for the scheduler and bandwidth of an edge node in a star of optical slots.":
            &aapn::MODEL;
        GrantLoop = "grant-loop", "Paper 003 (AAPN signalling and XCP-CL), §3.5, §4.2, Appendix A; our own \
            derivation",
            "Fixed points of XCP-CL over a master that grants what is asked for, or more.": &grant_loop::MODEL;
        TcpFluid = "tcp-fluid", "Misra, Gong and Towsley, SIGCOMM 2000; Hollot et al., INFOCOM 2001; paper 003, \
            Appendix C, eqs. (C.1)–(C.3)",
            "Window and queue of many TCP flows at one link over time, with RED or drop-tail, their equilibrium and \
            its stability.": &tcp_fluid::MODEL;
        SackLbObs = "sack-lb-obs", "Charbonneau and Vokkarane, HS-RR-TCP, §4.1, eqs. (1)–(7), appendix",
            "Time TCP SACK needs for a file over OBS whose bursts alternate between two paths, with its false loss \
            detections.": &sack_lb_obs::MODEL;
        RrTcpLbObs = "rr-tcp-lb-obs", "Charbonneau and Vokkarane, HS-RR-TCP, §4.2, eqs. (1)–(3), (8), (9)",
            "Time RR-TCP needs for a file over OBS whose bursts alternate between two paths.": &rr_tcp_lb_obs::MODEL;
        ErlangB = "erlang-b", "Erlang 1917; Kleinrock, Queueing Systems I, §3.5 (M/M/c/c; any distribution of \
            lengths)",
            "Blocking of a link without buffers that is offered Poisson bursts.": &erlang_b::MODEL;
        Engset = "engset", "Engset 1918; Zukerman et al., IEEE Communications Letters 8(2), 2004",
            "Blocking of a link without buffers that is offered bursts by few sources.": &engset::MODEL;
        Md1k = "md1k", "Gross and Harris, Fundamentals of Queueing Theory, §5.1.8",
            "Drops and queue of a port that is offered Poisson packets of one size.": &md1k::MODEL;
        Mmck = "mmck", "Gross and Harris, Fundamentals of Queueing Theory, chapter 2",
            "Blocking and queue of several servers with few waiting places.": &mmck::MODEL;
        OutputQueue = "slotted-output-queue", "Hluchyj and Karol, IEEE JSAC 6(9), 1988, output queueing (exact \
            chain)",
            "Loss and queue of a slotted packet switch with a buffer at each output.": &output_queue::MODEL;
        SharedBuffer = "slotted-shared-buffer", "Exact chain; traffic as Hluchyj and Karol, IEEE JSAC 6(9), 1988",
            "Loss and queues of a small slotted packet switch whose outputs share one memory.": &shared_buffer::MODEL;
        JetClasses = "jet-classes", "Yoo, Qiao and Dixit, IEEE JSAC 18(10), 2000: Erlang's formula and the \
            conservation law",
            "Blocking of two burst classes that an extra offset isolates completely.": &jet_classes::MODEL;
        Retransmission = "retransmission-link", "Zhang, Vokkarane, Wang and Jue, GLOBECOM 2005; fixed point of A = \
            A₀(1 + B + … + Bⁿ), B = E(A, k)",
            "Load and loss of a link without buffers when refused bursts are sent again.": &retransmission::MODEL;
        Mesh = "erlang-fixed-point", "Kelly, Adv. Appl. Prob. 18, 1986; Rosberg, Vu, Zukerman and White, IEEE JSAC \
            21(7), 2003",
            "Blocking of links and routes of a mesh without buffers, each link by Erlang's formula with the load that \
            reaches it.": &mesh::MODEL;
        Pftk = "pftk", "Padhye, Firoiu, Towsley and Kurose, IEEE/ACM ToN 8(2), 2000: full model and approximation",
            "Sending rate of TCP Reno against loss, timeouts and a largest window included.": &pftk::MODEL;
        Tfrc = "tfrc", "RFC 5348 §3.1",
            "The sending rate that TFRC allows for a loss event rate.": &tfrc::MODEL;
        Highspeed = "highspeed-response", "RFC 3649 §5, Appendix B",
            "Window of HighSpeed TCP at a loss rate, with the increase and decrease that belong to it.":
            &highspeed::MODEL;
        CubicResponse = "cubic-response", "RFC 9438 §5.1 and §4.3",
            "Average window and rate of CUBIC at a loss rate, and where the Reno-friendly region ends.":
            &cubic_response::MODEL;
        HpccRest = "hpcc-rest", "Li et al., HPCC, SIGCOMM 2019, §3.2",
            "Load, queue and windows of flows of HPCC at rest.": &hpcc_rest::MODEL;
        PowertcpRest = "powertcp-rest", "Addanki, Michel and Schmid, PowerTCP, NSDI 2022, §3.4",
            "Queue, windows and power of flows of PowerTCP at rest.": &powertcp_rest::MODEL;
        SwiftRest = "swift-rest", "Kumar et al., Swift, SIGCOMM 2020, §3.2, §3.3",
            "Delay and windows of flows of Swift at rest: the target, which depends on the window.": &swift_rest::MODEL;
        RcpRest = "rcp-rest", "Dukkipati et al., IWQoS 2005, eq. (2)",
            "Fair rate and windows of flows of RCP, and how soon a rate comes back to it.": &rcp_rest::MODEL;
        AbcRest = "abc-rest", "Goyal et al., ABC, NSDI 2020, §3.1, appendix A; our own solution with the queue in the \
            round trip",
            "Queueing delay and utilisation of flows of ABC at rest.": &abc_rest::MODEL;
        CopaRest = "copa-rest", "Arun and Balakrishnan, Copa, NSDI 2018, §2.3",
            "Queue of flows of Copa at rest, which goes up and down in five round trips.": &copa_rest::MODEL;
        Gaimd = "gaimd", "Yang and Lam, ICNP 2000; TCP-ENG eqs. (2), (3) for the two relations of α and β",
            "Sending rate of GAIMD(α, β), and the α that is friendly to TCP.": &gaimd::MODEL;
    }
}

/// A model as it can be named.
pub type Entry = options::Entry<Name, &'static Model>;

/// Every model there is, in a fixed order.
pub fn models() -> &'static [Entry] {
    Name::REGISTRY
}

/// The model of that name.
pub fn find(name: &str) -> Result<&'static Model, Error> {
    let found = Name::from_name(name).map(|name| name.entry().item);
    found.ok_or_else(|| Error::UnknownModel {
        name: name.to_owned(),
        nearest: error::nearest(name, models().iter().map(|entry| entry.name)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_knows_its_line_and_its_line_the_model() {
        for entry in models() {
            assert_eq!(find(entry.name).map(|found| found.name), Ok(entry.choice));
            assert_eq!((entry.item.name, Name::from_name(entry.name)), (entry.choice, Some(entry.choice)));
        }
        assert_eq!(find("erlangb").unwrap_err().to_string(), "no model 'erlangb'; nearest: erlang-b");
        let wrong = |name| find("erlang-b").unwrap().arguments().set(name, Value::Number(1.0)).unwrap_err().to_string();
        assert_eq!(wrong("servrs"), "erlang-b has no input 'servrs'; nearest: servers; it has: load, servers");
        assert_eq!(wrong("x"), "erlang-b has no input 'x'; it has: load, servers");
    }

    #[test]
    fn every_default_has_an_answer() {
        for model in models().iter().map(|entry| entry.item) {
            let name = model.name.name();
            let answers = model.evaluate(model.arguments().values()).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(answers.len(), model.outputs.len());
        }
    }
}
