# A ring of four cities, written for photocol's tests in the style of the Internet Topology Zoo.
Creator "photocol"
graph [
  directed 0
  Network "Ring &amp; more"
  node [
    id 0
    label "Munich"
    Country "Germany"
    Longitude 11.57549
    Latitude 48.13743
  ]
  node [
    id 1
    label "Vienna"
    Longitude 16.37208
    Latitude 48.20849
  ]
  node [
    id 2
    label "Prague"
    Longitude 14.42076
    Latitude 50.08804
  ]
  node [
    id 7
    label "Vienna"
    Internal 1
  ]
  edge [
    source 0
    target 1
    LinkSpeedRaw 10000000000.0
    LinkLabel "OC-192"
  ]
  edge [
    source 1
    target 2
    capacity "2.5 Gb/s"
    delay "3 ms"
  ]
  edge [ source 2 target 7 length 300 ]
  edge [ source 7 target 0 dist "100 km" ]
  edge [ source 1 target 0 ]
  edge [ source 2 target 2 ]
]
