# Which packets of a burst a slightly slower port refuses: 200 packets of 1000 bytes come back to back at 1 Gb/s to a port with
# one waiting place. A line per burst: when its first packet came, and the numbers of the refused ones, counted from 0.
#
#   ns burst.tcl RATE START...        as in: ns burst.tcl 980e6 20.2 40.9 70.3 100.7 130.9 200.3 260.7 300.2
#
# At 980 Mb/s 49 departures take exactly as long as 50 arrivals, so the rounding of times decides who comes first.

remove-all-packet-headers
add-packet-header Flags IP RTP

set rate [lindex $argv 0]
set starts [lrange $argv 1 end]
if {[llength $starts] == 0} {
    puts stderr "usage: ns burst.tcl RATE START..."
    exit 2
}
set record [file join [pwd] burst-[pid].tr]
set ns [new Simulator]
foreach name {source port sink} {
    set $name [$ns node]
}
$ns simplex-link $source $port 1e9 1ms DropTail
$ns simplex-link $port $sink $rate 10ms DropTail
$ns queue-limit $source $port 1000
# One waiting place: ns-2 refuses the packet that would make the queue `limit_` long.
$ns queue-limit $port $sink 2
Agent/UDP set packetSize_ 1000
set sender [new Agent/UDP]
set receiver [new Agent/Null]
$ns attach-agent $source $sender
$ns attach-agent $sink $receiver
$ns connect $sender $receiver
set file [open $record w]
$ns trace-queue $port $sink $file

# A line of the record begins with what happened (+ came, d refused) and when.
proc finish {} {
    global file record
    close $file
    set file [open $record]
    set line ""
    set last -1
    while {[gets $file text] >= 0} {
        foreach {what at} $text break
        if {$what eq "+"} {
            if {$at > $last + 0.01} {
                if {$line ne ""} { puts $line }
                set line "$at s:"
                set number -1
            }
            incr number
            set last $at
        } elseif {$what eq "d"} {
            append line " $number"
        }
    }
    puts $line
    close $file
    file delete $record
    exit 0
}

foreach start $starts {
    $ns at $start "$sender send 200000"
}
$ns at [expr {[lindex [lsort -real $starts] end] + 1}] finish
$ns run
