# Workload S1 in ns-2: N greedy TCP flows over one bottleneck. See ../README.md for the workload.
#
#   ns dumbbell.tcl -flows FILE [-variant sack|newreno] [-rate bits/s] [-pairs P] [-duration s] [-from s]
#                   [-count all] [-handshake yes] [-scheduler NAME]
#                 [-tick s] [-perflow yes]
#                 [-queue RED -buffer packets -min-th packets -max-th packets -max-p p -weight w]
#
# With RED: gentle, no wait, the queue in packets, dropping.
#
# Packet-hops. Only the bottleneck has a monitor, since monitors everywhere cost 8 % CPU. Three of the six links of a
# round are counted: segments sent, segments that left the bottleneck, ACKs received. The other three lie between the
# last two in time, evenly, and lose nothing: sent + carried + 1.5 (carried + ACKs) + ACKs. `-count all` does put a
# monitor on every link; the difference is 2e-4 in 4 s, less in longer runs.

source [file join [file dirname [info script]] common.tcl]

array set settings {
    flows "" variant sack rate 1e9 pairs 10 duration 60 from 20 count derived handshake no tick 0.01 perflow no scheduler Splay
    queue DropTail buffer 0 min-th 50 max-th 250 max-p 0.1 weight 0.002
}
read-options $argv

set agents(sack) {Agent/TCP/Sack1 Agent/TCPSink/Sack1}
set agents(newreno) {Agent/TCP/Newreno Agent/TCPSink}
foreach {sender sink} $agents($settings(variant)) break

set base_rtt_s 0.1
set packet_bits 12000.0
set bdp [expr {int($settings(rate) * $base_rtt_s / $packet_bits)}]
set flows [read-lines $settings(flows)]
set ssthresh [expr {max(2, $bdp / [llength $flows])}]

configure-tcp 1000000 $settings(handshake) $settings(tick)
Queue set limit_ 1000000

set ns [new Simulator]
$ns use-scheduler $settings(scheduler)

# Topology. ns-2 refuses the packet that would make the queue `limit_` long, hence the 1.
set a [$ns node]
set b [$ns node]
Queue/RED set gentle_ true
Queue/RED set wait_ false
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set adaptive_ 0
Queue/RED set use_mark_p_ false
Queue/RED set mean_pktsize_ 1500
Queue/RED set thresh_ $settings(min-th)
Queue/RED set maxthresh_ $settings(max-th)
Queue/RED set linterm_ [expr {1.0 / $settings(max-p)}]
Queue/RED set q_weight_ $settings(weight)
$ns simplex-link $a $b $settings(rate) 48ms $settings(queue)
$ns simplex-link $b $a $settings(rate) 48ms DropTail
set buffer [expr {$settings(buffer) > 0 ? $settings(buffer) : $bdp}]
$ns queue-limit $a $b [expr {$buffer + 1}]
for {set i 0} {$i < $settings(pairs)} {incr i} {
    set l($i) [$ns node]
    set r($i) [$ns node]
    $ns duplex-link $l($i) $a [expr {10 * $settings(rate)}] 1ms DropTail
    $ns duplex-link $b $r($i) [expr {10 * $settings(rate)}] 1ms DropTail
}

set bottleneck [$ns monitor-queue $a $b ""]
set waiting [$bottleneck get-pkts-integrator]
set others {}
if {$settings(count) eq "all"} {
    lappend others [$ns monitor-queue $b $a ""]
    for {set i 0} {$i < $settings(pairs)} {incr i} {
        foreach {from to} [list $l($i) $a $a $l($i) $b $r($i) $r($i) $b] {
            lappend others [$ns monitor-queue $from $to ""]
        }
    }
}

set senders {}
foreach flow $flows {
    foreach {start_s source destination} $flow break
    lappend senders [add-flow $ns $sender $sink $l($source) $r($destination) $start_s $ssthresh]
}

proc start-measuring {} {
    global bottleneck before
    foreach counter {parrivals_ pdrops_ pdepartures_} {
        set before($counter) [$bottleneck set $counter]
    }
    set before(waited) [waited]
}

# The integral of the packets that wait, up to now.
proc waited {} {
    global ns waiting
    $waiting newpoint [$ns now] [$waiting set lasty_]
    return [$waiting set sum_]
}

proc since {counter} {
    global bottleneck before
    return [expr {wide([$bottleneck set $counter]) - wide($before($counter))}]
}

proc finish {} {
    global settings senders bottleneck others bdp buffer ssthresh packet_bits before
    set measured_s [expr {$settings(duration) - $settings(from)}]
    set sent [total $senders ndatapack_]
    set carried [$bottleneck set pdepartures_]
    if {$settings(count) eq "all"} {
        set hops [total [concat $bottleneck $others] pdepartures_]
    } else {
        set hops [expr {wide($sent + 2.5 * ($carried + [total $senders nackpack_]))}]
    }
    set lists [expr {$settings(perflow) ? [per-flow $senders] : {}}]
    print-json [concat [list \
        simulator ns-2 workload s1 variant $settings(variant) flows [llength $senders] rate_bps $settings(rate) \
        duration_s $settings(duration) packet_hops $hops hops_counted $settings(count) segments_sent $sent \
        retransmissions [total $senders nrexmitpack_] timeouts [total $senders nrexmit_] \
        buffer_packets $buffer initial_ssthresh $ssthresh measured_from_s $settings(from) \
        utilization [expr {$packet_bits * [since pdepartures_] / ($settings(rate) * $measured_s)}] \
        mean_queue [expr {([waited] - $before(waited)) / $measured_s}] \
        drop_rate [expr {double([since pdrops_]) / max(1, [since parrivals_])}]] $lists]
    exit 0
}

if {$settings(perflow)} {
    start-polling $ns $senders $settings(tick)
}
$ns at $settings(from) start-measuring
$ns at $settings(duration) finish
$ns run
