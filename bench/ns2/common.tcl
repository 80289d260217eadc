# What both workloads share in ns-2: options, the leanest packet, TCP as photocol is configured, counters, the JSON line.

# Every header that is not removed is copied and cleared with each packet; with all of ns-2's own the CPU time doubles.
remove-all-packet-headers
add-packet-header Flags IP TCP

# Options given as `-name value` replace the defaults in the global array `settings`.
proc read-options {argv} {
    global settings
    foreach {name value} $argv {
        set name [string range $name 1 end]
        if {![info exists settings($name)]} {
            puts stderr "unknown option -$name; known: [lsort [array names settings]]"
            exit 2
        }
        set settings($name) $value
    }
}

# The flow list as a list of {start_s source destination}.
proc read-lines {path} {
    set file [open $path]
    set lines [split [string trim [read $file]] "\n"]
    close $file
    return $lines
}

# 1460 bytes of payload and 40 of headers make 1500 on the wire; the sink acknowledges every segment with 40 bytes.
# photocol has no handshake; with one, as in ns-3, a flow's first segment is a SYN of 40 bytes, alone for a round trip.
# `delay_growth_` sets the window to its initial value on the first ACK, which without a SYN would be an ACK of data.
# RTT samples come in ticks; where they are compared the tick must be finer than ns-2's 10 ms.
proc configure-tcp {window handshake tick} {
    Agent/TCP set tcpTick_ $tick
    Agent/TCP set syn_ [string is true -strict $handshake]
    Agent/TCP set delay_growth_ [string is true -strict $handshake]
    Agent/TCP set packetSize_ 1460
    Agent/TCP set window_ $window
    Agent/TCP set windowInit_ 2
    Agent/TCP set minrto_ 0.2
    Agent/TCPSink set packetSize_ 40
}

# A greedy flow of agent class `sender`, from its start to the end of the run. `send -1` is what an FTP source would do,
# without the object; it comes after `run`, which resets every agent, ssthresh included.
proc add-flow {ns sender sink from to start_s ssthresh} {
    set tcp [new $sender]
    $ns attach-agent $from $tcp
    set receiver [new $sink]
    $ns attach-agent $to $receiver
    $ns connect $tcp $receiver
    if {$ssthresh > 0} {
        $ns at $start_s "$tcp set ssthresh_ $ssthresh; $tcp send -1"
    } else {
        $ns at $start_s "$tcp send -1"
    }
    return $tcp
}

# Sum of an instance variable over objects, in integers.
proc total {objects variable} {
    set sum 0
    foreach object $objects {
        set sum [expr {$sum + wide([$object set $variable])}]
    }
    return $sum
}

# Every 20 ms the last RTT sample of every flow that has one. A sample taken once in a round trip is found the more often the
# longer it is, so the harmonic mean of what is found is the mean of the samples.
proc poll-rtt {ns senders tick} {
    global inverse_rtt rtt_polls
    foreach tcp $senders {
        set ticks [$tcp set rtt_]
        if {$ticks > 0} {
            set inverse_rtt($tcp) [expr {($rtt_polls($tcp) ? $inverse_rtt($tcp) : 0.0) + 1.0 / ($ticks * $tick)}]
            incr rtt_polls($tcp)
        }
    }
    $ns at [expr {[$ns now] + 0.02}] [list poll-rtt $ns $senders $tick]
}

proc start-polling {ns senders tick} {
    global rtt_polls
    foreach tcp $senders {
        set rtt_polls($tcp) 0
    }
    $ns at 0 [list poll-rtt $ns $senders $tick]
}

# Names and values for print-json: segments acknowledged and mean RTT, one entry a flow in the list's order.
proc per-flow {senders} {
    global inverse_rtt rtt_polls
    set acked {}
    set rtt {}
    foreach tcp $senders {
        lappend acked [expr {[$tcp set ack_] + 1}]
        lappend rtt [expr {$rtt_polls($tcp) ? $rtt_polls($tcp) / $inverse_rtt($tcp) : 0}]
    }
    return [list acked_segments "\[[join $acked {, }]\]" mean_rtt_s "\[[join $rtt {, }]\]"]
}

# One line of JSON from a flat list of names and values, which are numbers, strings, or lists in brackets.
proc print-json {pairs} {
    set fields {}
    foreach {name value} $pairs {
        if {![string is double -strict $value] && ![string match {\[*} $value]} {
            set value "\"$value\""
        }
        lappend fields "\"$name\": $value"
    }
    puts "{[join $fields {, }]}"
}
