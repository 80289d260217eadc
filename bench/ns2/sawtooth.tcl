# One flow over one bottleneck in ns-2: what tests/python/test_sawtooth.py compares with.
#
#   ns sawtooth.tcl -law Newreno|Reno|Sack1|Vegas|highspeed|linux-NAME -buffer packets [-duration s]
#
# 10 Mb/s, a round trip of 100 ms without a queue, 1500 B on the wire of which 1460 are payload, an initial window of ten segments, ACKs of
# 40 B for every segment. It prints one line of JSON: goodput in Mb/s, timeouts in all and after the first 10 s.

source [file join [file dirname [info script]] common.tcl]
remove-all-packet-headers
add-packet-header Flags IP TCP

array set settings {law Sack1 buffer 60 duration 60}
read-options $argv

configure-tcp 1000000 no 0.001
Agent/TCP set windowInit_ 10

set ns [new Simulator]
foreach node {sender left right receiver} { set $node [$ns node] }
$ns duplex-link $sender $left 100Mb 1ms DropTail
$ns duplex-link $left $right 10Mb 48ms DropTail
$ns duplex-link $right $receiver 100Mb 1ms DropTail
# ns-2 counts the packet in transmission, photocol does not.
$ns queue-limit $left $right [expr {$settings(buffer) + 1}]
foreach {from to} [list $sender $left $right $receiver $receiver $right $right $left $left $sender] {
    $ns queue-limit $from $to 1000000
}

set sink Agent/TCPSink
switch -glob $settings(law) {
    Reno { set agent Agent/TCP/Reno }
    Sack1 { set agent Agent/TCP/Sack1; set sink Agent/TCPSink/Sack1 }
    highspeed { set agent Agent/TCP/Sack1; set sink Agent/TCPSink/Sack1 }
    linux-* { set agent Agent/TCP/Linux; set sink Agent/TCPSink/Sack1 }
    default { set agent Agent/TCP/$settings(law) }
}
set tcp [new $agent]
set receiving [new $sink]
$ns attach-agent $sender $tcp
$ns attach-agent $receiver $receiving
$ns connect $tcp $receiving
# The only agent that sends packetSize_ without a header.
if {$settings(law) == "Vegas"} { $tcp set packetSize_ 1500 }
if {$settings(law) == "highspeed"} { $tcp set windowOption_ 8 }
if {[string match linux-* $settings(law)]} {
    $tcp set timestamps_ true
    $receiving set ts_echo_rfc1323_ true
    $ns at 0 "$tcp select_ca [string range $settings(law) 6 end]"
}
$ns at 0 "$tcp send -1"

set early 0
set acked 0
$ns at 10 { set early [$tcp set nrexmit_]; set acked [$tcp set ack_] }
$ns at $settings(duration) {
    # nrexmit_ counts expiries of the timer.
    set goodput [expr {([$tcp set ack_] - $acked) * 1460 * 8 / ($settings(duration) - 10.0) / 1e6}]
    set timeouts [$tcp set nrexmit_]
    print-json [list law $settings(law) buffer $settings(buffer) goodput_mbps [format %.3f $goodput] \
        timeouts $timeouts late_timeouts [expr {$timeouts - $early}]]
    exit 0
}
$ns run
