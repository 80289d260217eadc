# Workload S2 in ns-2: 1586 greedy TCP flows over NSFNET with tiny buffers in the core. See ../README.md for the workload.
#
#   ns nsfnet.tcl -flows FILE -topology FILE [-variant reno|newreno|sack] [-buffer K] [-duration s] [-from s]
#                 [-count all] [-handshake yes] [-scheduler NAME]
#                 [-tick s] [-perflow yes] [-bugfix no]
#
# Packet-hops. A flow whose path has h links sends s segments and receives a ACKs. Along the 2h links of its round trip
# the count falls from s to a, nearly evenly, so it is h (s + a). The monitors on the core's outputs that the results
# need are put in only when measuring begins. `-count all` has a monitor on every link from the start, which costs CPU;
# the difference in hops is 5e-4.

source [file join [file dirname [info script]] common.tcl]

array set settings {
    flows "" topology "" variant reno buffer 6 duration 40 from 35 rate 1e9 count derived handshake no tick 0.01 perflow no scheduler Calendar
    bugfix yes
}
read-options $argv

set agents(reno) {Agent/TCP/Reno Agent/TCPSink}
set agents(newreno) {Agent/TCP/Newreno Agent/TCPSink}
set agents(sack) {Agent/TCP/Sack1 Agent/TCPSink/Sack1}
foreach {sender sink} $agents($settings(variant)) break

configure-tcp 20 $settings(handshake) $settings(tick)
Agent/TCP set bugFix_ [string is true -strict $settings(bugfix)]  ;# ns-2's default is true

set ns [new Simulator]
$ns use-scheduler $settings(scheduler)
$ns rtproto Manual

proc node {name} {
    global ns nodes
    if {![info exists nodes($name)]} {
        set nodes($name) [$ns node]
    }
    return $nodes($name)
}

proc is-core {name} {
    return [string match c* $name]
}

# Topology. Outputs of core nodes hold K waiting packets, those of edge nodes a quarter of a second. ns-2 refuses the
# packet that would make the queue `limit_` long, hence the 1.
set edge_buffer [expr {int(0.25 * $settings(rate) / 12000)}]
set core_links {}
set access_links {}
set edge_links {}
foreach line [read-lines $settings(topology)] {
    foreach {kind first second third} $line break
    if {$kind eq "link"} {
        $ns duplex-link [node $first] [node $second] $settings(rate) ${third}ms DropTail
        foreach {from to} [list $first $second $second $first] {
            if {[is-core $from]} {
                $ns queue-limit [node $from] [node $to] [expr {$settings(buffer) + 1}]
                lappend [expr {[is-core $to] ? "core_links" : "access_links"}] [list [node $from] [node $to]]
            } else {
                $ns queue-limit [node $from] [node $to] [expr {$edge_buffer + 1}]
                lappend edge_links [list [node $from] [node $to]]
            }
        }
    } else {
        [node $first] add-route [[node $second] id] [[$ns link [node $first] [node $third]] head]
        set next_hop($first,$second) $third
    }
}

proc path-length {source destination} {
    global next_hop
    set links 0
    for {set at $source} {$at ne $destination} {set at $next_hop($at,$destination)} {
        incr links
    }
    return $links
}

set senders {}
foreach flow [read-lines $settings(flows)] {
    foreach {start_s source destination} $flow break
    set tcp [add-flow $ns $sender $sink [node $source] [node $destination] $start_s 0]
    lappend senders $tcp
    set path_length($tcp) [path-length $source $destination]
}

proc monitors {links} {
    global ns
    set monitors {}
    foreach link $links {
        lappend monitors [$ns monitor-queue [lindex $link 0] [lindex $link 1] ""]
    }
    return $monitors
}

if {$settings(count) eq "all"} {
    set core [monitors $core_links]
    set access [monitors $access_links]
    set edge [monitors $edge_links]
}

proc start-measuring {} {
    global settings core access core_links access_links before
    if {$settings(count) ne "all"} {
        set core [monitors $core_links]
        set access [monitors $access_links]
    }
    foreach monitor [concat $core $access] {
        foreach counter {parrivals_ pdrops_ bdepartures_} {
            set before($monitor,$counter) [$monitor set $counter]
        }
    }
}

# ns-2's counters have 32 bits, and the bytes of 40 s do not fit; those of the measured seconds do.
proc since {monitors counter} {
    global before
    set sum 0
    foreach monitor $monitors {
        set sum [expr {$sum + (([$monitor set $counter] - $before($monitor,$counter)) & 0xffffffff)}]
    }
    return $sum
}

proc utilization {monitors} {
    global settings
    set capacity_bits [expr {$settings(rate) * ($settings(duration) - $settings(from)) * [llength $monitors]}]
    return [expr {8.0 * [since $monitors bdepartures_] / $capacity_bits}]
}

proc drop-rate {monitors} {
    return [expr {double([since $monitors pdrops_]) / max(1, [since $monitors parrivals_])}]
}

proc finish {} {
    global settings senders path_length core access edge
    set hops 0
    if {$settings(count) eq "all"} {
        set hops [total [concat $core $access $edge] pdepartures_]
    } else {
        foreach tcp $senders {
            set hops [expr {$hops + $path_length($tcp) * ([$tcp set ndatapack_] + [$tcp set nackpack_])}]
        }
    }
    set core_outputs [concat $core $access]
    set lists [expr {$settings(perflow) ? [per-flow $senders] : {}}]
    print-json [concat [list \
        simulator ns-2 workload s2 variant $settings(variant) flows [llength $senders] rate_bps $settings(rate) \
        duration_s $settings(duration) packet_hops $hops hops_counted $settings(count) \
        segments_sent [total $senders ndatapack_] retransmissions [total $senders nrexmitpack_] \
        timeouts [total $senders nrexmit_] buffer_packets $settings(buffer) measured_from_s $settings(from) \
        utilization_core [utilization $core] utilization_core_outputs [utilization $core_outputs] \
        drop_rate [drop-rate $core_outputs] drop_rate_core_to_core [drop-rate $core] \
        carried_to_edges_bps [expr {8.0 * [since $access bdepartures_] / ($settings(duration) - $settings(from))}]] $lists]
    exit 0
}

if {$settings(perflow)} {
    start-polling $ns $senders $settings(tick)
}
$ns at $settings(from) start-measuring
$ns at $settings(duration) finish
$ns run
