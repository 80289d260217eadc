# Workload S3 in ns-2: 100 XCP flows in five groups of delays, whose bottleneck loses a ninth of its capacity and gets it back.
# See ../README.md for the workload.
#
#   ns xcp.tcl -flows FILE [-controller follows|rated] [-buffer K] [-rate bits/s] [-short bits/s] [-duration s]
#              [-from s] [-until s] [-count all] [-scheduler NAME] [-tick s] [-minrto s] [-series FILE] [-interval s]
#              [-back ms]
#
# `-short` is the capacity from 200 to 400 s, 40/45 of the rate unless it is given. Other queues hold 0.59 s. `-back` is the whole way
# back, always; without it the way back is as the way forth.
#
# Packet-hops. What is sent is on two links, what left the edge node's core port on three, ACKs on five; what is in flight is
# counted on links that it has not reached yet, 3e-4 of 100 s. `-count all` has a monitor on every link.

source [file join [file dirname [info script]] common.tcl]
add-packet-header XCP

array set settings {
    flows "" controller follows buffer 1 rate 45e6 short 0 duration 600 from 20 until 0 count derived scheduler Calendar
    tick 1e-4 minrto 0.2 series "" interval 1 back ""
}
read-options $argv

set until_s [expr {$settings(until) > 0 ? $settings(until) : $settings(duration)}]

# 940 bytes of payload, 60 of headers, ACKs of 60: as in photocol. Time stamps, which ns-2's XCP cannot do without, take 10.
configure-tcp 1000000 no $settings(tick)
Agent/TCP set packetSize_ 940
Agent/TCP set minrto_ $settings(minrto)
Agent/TCP set tcpip_base_hdr_size_ 50
Agent/TCPSink set packetSize_ 60
Queue set limit_ 1000000

set ns [new Simulator]
$ns use-scheduler $settings(scheduler)

# Half of what is left of a group's one-way delay (ms; before 200 s, from there, from 400 s) lies at either end.
set fixed_ms 21.0
set delays_ms {{110 170 140} {130 190 210} {150 250 110} {130 290 150} {110 150 130}}
set rated $settings(rate)
set reduced [expr {$settings(short) > 0 ? $settings(short) : $settings(rate) * 40 / 45}]
# 3300 packets at 45 Mb/s.
set room [expr {int($settings(rate) * 3300 / 45e6)}]

proc access-delay {group period} {
    global delays_ms fixed_ms
    return [expr {([lindex [lindex $delays_ms $group] $period] - $fixed_ms) / 2e3}]
}

proc back-delay {group period} {
    global settings fixed_ms
    if {$settings(back) eq ""} {
        return [access-delay $group $period]
    }
    return [expr {($settings(back) - $fixed_ms) / 2e3}]
}

# ns-2 refuses the packet that would make the queue `limit_` long, hence the 1.
proc xcp-port {from to waiting} {
    global ns rated
    $ns queue-limit $from $to [expr {$waiting + 1}]
    [[$ns link $from $to] queue] set-link-capacity $rated
}

foreach name {rs ri core rj} {
    set $name [$ns node]
}
foreach {from to delay waiting} [list $rs $ri 1ms $room $ri $core 10ms $settings(buffer) $core $rj 10ms $room] {
    $ns simplex-link $from $to $rated $delay XCP
    $ns simplex-link $to $from $rated $delay DropTail
    xcp-port $from $to $waiting
}
for {set group 0} {$group < 5} {incr group} {
    set s($group) [$ns node]
    set d($group) [$ns node]
    foreach {near far} [list $s($group) $rs $rj $d($group)] {
        $ns simplex-link $near $far $rated [access-delay $group 0] DropTail
        $ns simplex-link $far $near $rated [back-delay $group 0] DropTail
    }
}

proc change {period capacity} {
    global ns s d rs rj ri core settings
    $ns bandwidth $ri $core $capacity simplex
    if {$settings(controller) eq "follows"} {
        [[$ns link $ri $core] queue] set-link-capacity $capacity
    }
    for {set group 0} {$group < 5} {incr group} {
        foreach {near far} [list $s($group) $rs $rj $d($group)] {
            $ns delay $near $far [access-delay $group $period]
            $ns delay $far $near [back-delay $group $period]
        }
    }
}
$ns at 200 [list change 1 $reduced]
$ns at 400 [list change 2 $rated]

set bottleneck [$ns monitor-queue $ri $core ""]
set others {}
if {$settings(count) eq "all"} {
    set links [list $core $ri $rs $ri $ri $rs $core $rj $rj $core]
    for {set group 0} {$group < 5} {incr group} {
        lappend links $s($group) $rs $rs $s($group) $rj $d($group) $d($group) $rj
    }
    foreach {from to} $links {
        lappend others [$ns monitor-queue $from $to ""]
    }
}

set senders {}
foreach flow [read-lines $settings(flows)] {
    foreach {start_s source destination} $flow break
    set tcp [add-flow $ns Agent/TCP/Reno/XCP Agent/TCPSink/XCPSink $s($source) $d($destination) $start_s 0]
    lappend senders $tcp
}

# Every interval: what the bottleneck carried in it as a part of its capacity, its queue, drops, and the windows of five flows.
proc sample {} {
    global ns series bottleneck senders carried_before drops_before settings ri core
    set carried [expr {[$bottleneck set pdepartures_] - $carried_before}]
    set drops [expr {[$bottleneck set pdrops_] - $drops_before}]
    incr carried_before $carried
    incr drops_before $drops
    set capacity [[[$ns link $ri $core] link] set bandwidth_]
    puts -nonewline $series "[$ns now],[expr {8000.0 * $carried / ($capacity * $settings(interval))}]"
    puts -nonewline $series ",[$bottleneck set pkts_],$drops"
    foreach tcp [lrange $senders 0 4] {
        puts -nonewline $series ",[expr {double([$tcp set cwnd_])}]"
    }
    puts $series ""
    $ns at [expr {[$ns now] + $settings(interval)}] sample
}
if {$settings(series) ne ""} {
    set carried_before 0
    set drops_before 0
    set series [open $settings(series) w]
    puts $series "t_s,utilization,queue,drops,cwnd_0,cwnd_1,cwnd_2,cwnd_3,cwnd_4"
    $ns at $settings(interval) sample
}

proc read-counters {into} {
    global bottleneck
    upvar #0 $into counters
    foreach counter {parrivals_ pdrops_ pdepartures_} {
        set counters($counter) [$bottleneck set $counter]
    }
}

proc measured {counter} {
    global before after
    return [expr {wide($after($counter)) - wide($before($counter))}]
}

proc finish {} {
    global settings senders bottleneck others until_s series
    set sent [total $senders ndatapack_]
    set carried [$bottleneck set pdepartures_]
    if {$settings(count) eq "all"} {
        set hops [total [concat $bottleneck $others] pdepartures_]
    } else {
        set hops [expr {2 * wide($sent) + 3 * wide($carried) + 5 * wide([total $senders nackpack_])}]
    }
    if {$settings(series) ne ""} {
        close $series
    }
    print-json [list \
        simulator ns-2 workload s3 controller $settings(controller) flows [llength $senders] \
        rate_bps $settings(rate) duration_s $settings(duration) packet_hops $hops hops_counted $settings(count) \
        segments_sent $sent retransmissions [total $senders nrexmitpack_] timeouts [total $senders nrexmit_] \
        buffer_packets $settings(buffer) measured_from_s $settings(from) measured_until_s $until_s \
        carried_bps [expr {8000.0 * [measured pdepartures_] / ($until_s - $settings(from))}] \
        drop_rate [expr {double([measured pdrops_]) / max(1, [measured parrivals_])}]]
    exit 0
}

$ns at $settings(from) {read-counters before}
$ns at $until_s {read-counters after}
$ns at $settings(duration) finish
$ns run
