"""A sentence for each figure of a summary, and the figures that a person is shown of it.

A summary has every figure, zeros too; a table for people leaves out the rows of zeros (there is no timeout without
TCP), and has one rate of loss with what it counts.
"""

from __future__ import annotations

import functools
import math
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_USUALLY = " (but see `run.completion`)"
_ALL_LINKS = "over all directed links that carry data, from the end of the warm-up on"

MEANINGS = {
    "duration": "The simulated time of the run.",
    "measured_time": "The time that figures of links, goodput and losses cover: from the end of the warm-up on.",
    "mean_link_utilization": f"The mean share of the time in which a link transmits, {_ALL_LINKS}.",
    "max_link_utilization": "The share of the time in which the busiest link transmits.",
    "mean_core_utilization": "The mean share of the time in which a link between two core nodes transmits.",
    "mean_core_output_utilization": "The mean share of the time in which a link that leaves a core node transmits.",
    "core_drop_rate": "Packets dropped over packets offered, at the links that leave core nodes.",
    "drop_rate": "Packets dropped over packets offered, summed over all links: a packet that crosses three links is "
    "offered three times.",
    "offered_packets": f"Packets (or bursts) that came to a link, {_ALL_LINKS}; one counts at each link of its path.",
    "carried_packets": f"Packets (or bursts) that a link sent whole, {_ALL_LINKS}; some came before that.",
    "dropped_packets": f"Packets (or bursts) that a link had no room for or lost, {_ALL_LINKS}.",
    "max_queue": "The most packets that waited at one link, without the one in transmission.",
    "goodput": "Payload that arrived for the first time, in order or not, a second; of datagrams all bytes.",
    "in_order_goodput": "Payload that its receiver acknowledged with all before it, a second.",
    "flows": "Flows that started.",
    "flows_completed": f"Flows with a size that completed: all their bytes have come to their receivers{_USUALLY}.",
    "unfinished_flows": "Flows with a size that had not completed at the end of the run.",
    "mean_completion_time": f"The mean time from the start of a flow to its last byte at its receiver{_USUALLY}.",
    "segments_sent": "Segments and datagrams that hosts sent, retransmissions too.",
    "retransmissions": "Segments that TCP sent again.",
    "fast_retransmits": "Times at which TCP took a packet for lost because of ACKs, and began to repair.",
    "false_fast_retransmits": "Of these, the ones for which nothing had been dropped.",
    "timeouts": "Times at which TCP's retransmission timer ran out.",
    "false_timeouts": "Of these, the ones for which nothing had been dropped.",
    "fairness_index": "Jain's index of the goodputs of TCP flows: 1 if all are equal, 1/n if one of n has everything.",
    "requests_completed": "Requests (incasts) of which every flow completed.",
    "mean_request_time": "The mean time from the start of a request to the completion of its last flow.",
    "header_violations": "Packets at ports with an XCP controller whose congestion header cannot be.",
    "colliding_flows": "Flows that share a link with another one where a node could have taken another link.",
    "marked_packets": "Packets that reached their host with a congestion mark.",
    "circuit_utilization": "What circuits carried in days of pairs with data, over what they could have carried.",
    "circuit_bytes": "Bytes that racks or hosts sent over circuits to the last one.",
    "day_drops": "Packets with data for which a rack's queue had no room while its circuit was there.",
    "other_day_drops": "The same while the rack had its circuit to another rack.",
    "night_drops": "The same while it had none.",
    "packet_bytes": "Bytes that racks sent by the packet switch.",
    "circuit_overtaken": "Packets with data by circuit that arrive behind one that left their queue after them.",
    "packet_overtaken": "The same by the packet switch.",
    "latency_p50": "The median time of packets with data from the queue of one rack to the other rack.",
    "latency_p99": "The time within which 99 % of packets with data came from the queue of one rack to the other.",
    "circuit_latency_p50": "The median of these times of packets that took a circuit.",
    "circuit_latency_p99": "The time within which 99 % of the packets came that took a circuit.",
    "packet_latency_p50": "The median of these times of packets that went by the packet switch.",
    "packet_latency_p99": "The time within which 99 % of the packets came that went by the packet switch.",
    "switch_turns": "Turns of all optical switches to other circuits.",
    "reconfiguration_time": "How long an optical switch was turning: the mean over them.",
    "direct_bytes": "Bytes that racks sent by the circuit to their own rack, where they came from their hosts.",
    "detour_bytes": "Bytes that racks sent on the first hop of a detour over another rack.",
    "relayed_bytes": "Bytes that racks sent on the second hop of a detour.",
    "slice_bytes": "Bytes that racks sent on shortest paths within a slice, counted at each hop.",
    "circuit_wait_p50": "The median time that packets waited for the circuit to their own rack at their first rack.",
    "circuit_wait_p99": "The time within which 99 % of these packets had their circuit.",
    "bursts_sent": "Bursts that left the edge node that assembled them.",
    "bursts_delivered": "Bursts that reached their egress node, whole or in part.",
    "bursts_lost": "Bursts that were lost for good, or refused before they left.",
    "burst_loss_rate": "Bursts lost over bursts lost or delivered; all packets of a lost burst are lost.",
    "bursts_resent": "Lost bursts that their ingress node sent again.",
    "bursts_deflected": "Bursts that took another output because theirs was taken.",
    "bursts_cut": "Bursts that lost a part to another one (segmentation).",
    "empty_headers": "Burst headers that no burst followed.",
    "burst_losses_told": "Losses of bursts of which senders were told.",
    "burst_losses_silent": "Losses of which senders were not told, because the path counts as congested.",
    "mean_burst_size": "The mean size of the bursts sent.",
    "mean_packets_per_burst": "The mean number of packets in a burst.",
    "mean_assembly_wait": "The mean time that a packet waited until its burst was complete.",
    "mean_ingress_wait": "The mean time that a new burst waited for a wavelength.",
    "mean_burst_delay": "The mean time from the completion of a burst to its arrival at the egress node.",
    "bursts_held_at_egress": "Bursts that waited at their egress node for an earlier one.",
    "bursts_late_at_egress": "Bursts that came when their egress node no longer waited for them.",
    "mean_egress_hold": "The mean time that a held burst waited at its egress node.",
    "egress_buffer_peak": "The most memory that an egress node used to hold bursts.",
    "bursts_with_two_paths": "Bursts whose ingress node could choose between two paths.",
    "bursts_on_second_path": "Of these, the ones that took the second path.",
    "path_switches": "Bursts that took another path than the one before.",
    "loads_told": "Times that loads were told.",
    "bursts_held": "Bursts that were held so that they did not overtake others.",
    "mean_hold": "The mean time that such a burst waited.",
    "ordering_buffer_peak": "The most memory that held bursts took.",
    "slots_dark": "Slots that were transmitted and lost because their wavelength was dark.",
    "turns": "Times at which circuits turned.",
    "control_joined": "Edge nodes that joined the control plane.",
    "control_elections": "Terms that a master of the control plane began.",
    "control_terms_ended": "Terms that a master of the control plane ended.",
    "control_plans": "Plans of a frame that edge nodes accepted.",
    "control_silent": "Times at which an edge node was no longer heard.",
    "control_slots_too_late": "Slots that were not sent because their time had passed.",
    "control_grants_unused": "Granted slots for which nothing waited.",
    "control_messages_lost": "Messages and slots of the signalling that fibres lost.",
    "control_light_sent": "Slots of light that edge nodes sent, of data or signalling.",
    "control_light_missed": "Slots of light that missed their slot at the core, or met a cut.",
    "control_queues_moved": "Queues that went over to another star.",
    "control_arrival_error_rms": "How far light was from its instant at the core: the root of the mean square.",
    "dlcc_congestion_losses": "Losses of slots to congestion in the core.",
    "dlcc_contention_losses": "Losses of slots to contention in the core.",
    "dlcc_notifications": "Loss notifications that core nodes sent.",
    "dlcc_unknown_notifications": "Notifications that were late, or for flows that are over.",
    "dlcc_repeated_notifications": "Notifications that came twice.",
    "dlcc_rate_requests": "Requests of edge nodes for another rate.",
    "dlcc_refused_requests": "Of these, the ones that were refused.",
    "dlcc_artificial_acks": "Artificial ACKs that edge nodes made.",
    "dlcc_discarded_acks": "ACKs that edge nodes kept from sources, because they had artificial ones.",
    "dlcc_paced_acks": "ACKs that edge nodes spaced while the core was busy.",
    "dlcc_incomplete_datagrams": "Datagrams that were dropped because others of their slots were lost.",
    "dlcc_holes": "Lost segments that the source was told to forget, and that were not seen again.",
    "dlcc_stuck_flows": "Receivers that had asked for such bytes for more than a record, at the end of the run.",
    "extra_buffer": "The mean content of edge nodes' buffers beyond their level at the first notification.",
    "extra_buffer_episodes": "Times from a first notification until the rate was decided again, that have ended.",
    "mean_extra_buffer": "The mean of the greatest extra buffer in each of these episodes.",
    "max_extra_buffer": "The greatest extra buffer of all.",
    "packet_hops": "Packets sent on links, one for each link: the work of the run.",
    "events": "Events that the engine handled: the work of the run.",
}
"""Of every figure that has a name of its own, but for those of probes, which declare theirs."""

_SIZES = {"": "", "short_": " of up to 100 kB", "medium_": " of up to 10 MB", "long_": " above 10 MB"}
_OF = {
    "completion_time": f"completion time of flows{{size}}: from the start to the last byte at the receiver{_USUALLY}",
    "slowdown": "slowdown of flows{size}: completion time over that on the empty path",
    "request_time": "time of requests, from the start to the completion of the last flow",
}
_PERCENTILE = re.compile(r"(short_|medium_|long_|)(\w+?)_p(\d+)(?:_(\d))?")
_FIRST = re.compile(r"dlcc_first_(\w+)")
_SLOWDOWN = re.compile(r"mean_(short_|medium_|long_|)slowdown")

_RATES = {"burst_loss_rate": "of bursts", "drop_rate": "of packets"}
"""The rates of loss, in the order in which the first that a run has is shown, and what they count."""
_OTHER_RATES = ("core_drop_rate", *_RATES)
_OF_LINKS = ("offered_packets", "carried_packets", "dropped_packets")
"""Where bursts are switched, links count bursts: the figures of bursts say it better."""

HEADLINE = (
    *(
        "work_time",
        "goodput",
        "circuit_utilization",
        "switch_turns",
        *_RATES,
        "mean_core_utilization",
        "max_link_utilization",
        "max_queue",
    ),
    *("fairness_index", "mean_completion_time", "mean_packet_delay", "mean_burst_delay"),
    *("retransmissions", "timeouts", "flows"),
)
"""The figures that are looked at first, as far as a run has them."""


COUNTED = ("flows_completed", "unfinished_flows")
"""Beside completion times: flows that have one, and that have none because they did not complete."""


class Shown(NamedTuple):
    """The names of a summary as a person is shown them: those with a row each, those that are zero, and the missing."""

    rows: tuple[str, ...]
    zero: tuple[str, ...]
    missing: tuple[str, ...] = ()


def meaning(name: str) -> str:
    """A sentence about a figure; nothing where its name is none of the simulator's."""
    of_probes, percentiles = _of_probes()
    if said := MEANINGS.get(name) or of_probes.get(name):
        return said
    if (found := _PERCENTILE.fullmatch(name)) and (quantity := (_OF | percentiles).get(found[2])):
        size, _, percent, tenth = found.groups()
        share = f"{percent}.{tenth}" if tenth else percent
        return f"The least value that {share} % do not exceed, of the {quantity.format(size=_SIZES[size])}."
    if found := _SLOWDOWN.fullmatch(name):
        return f"The mean {_OF['slowdown'].format(size=_SIZES[found[1]])}."
    if found := _FIRST.fullmatch(name):
        return f"The time of the first {found[1].replace('_', ' ')}."
    return ""


def figures() -> dict[str, str]:
    """A sentence for each figure that has a name of its own."""
    return MEANINGS | _of_probes()[0]


@functools.cache
def _of_probes() -> tuple[dict[str, str], dict[str, str]]:
    """What probes and work say of their figures, and of the quantities of which there are percentiles."""
    from photocol import _core

    said: dict[str, str] = {}
    percentiles: dict[str, str] = {}
    for _, (_, own, of), _ in _core.probes():
        said.update(own)
        percentiles.update(of)
    said.update(_core.work()[0])
    return said, percentiles


def is_of_completions(name: str) -> bool:
    """Whether a figure is about the flows that completed, and says nothing of the others."""
    return "completion_time" in name or "slowdown" in name


def rate_of_loss(names: Mapping[str, object]) -> str | None:
    """The one rate of loss that is shown: of bursts where bursts are switched, else of packets."""
    return next((name for name in _RATES if name in names), None)


def counted(name: str) -> str:
    """The words behind a rate of loss that say what it counts; nothing for other figures."""
    return _RATES.get(name, "")


def shown(figures: Mapping[str, float]) -> Shown:
    """The figures that a run has something to say of. A rate of loss is shown even if it is zero."""
    rate = rate_of_loss(figures)
    left_out = {*_OTHER_RATES, *(_OF_LINKS if rate == "burst_loss_rate" else ())} - {rate}
    kept = [name for name in figures if name not in left_out]
    missing = tuple(name for name in kept if math.isnan(figures[name]))
    rows = tuple(name for name in kept if name not in missing and (name == rate or figures[name] != 0))
    return Shown(rows, tuple(name for name in kept if name not in rows + missing), missing)


def headline(figures: Mapping[str, float], most: int = 8) -> list[str]:
    """The first few of them to look at."""
    rows = set(shown(figures).rows)
    return [name for name in HEADLINE if name in rows][:most]
