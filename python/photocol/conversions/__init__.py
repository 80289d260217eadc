"""Other people's files as scenarios: networks, traffic matrices, lists of flows, contact plans, schedules.

`units`, `headings` and `table` are the rules of all tables, `source` those of a file. `formats` knows the formats and
their readers, which give what they found (`found`); `network` and `scenario` put files together and fill gaps,
`changes` turns contacts into events, `writer` writes. `weeks` makes a schedule for switches of light.
"""
