"""The laboratory: a page on loopback with sliders, pictures and lessons, over runs that are drawn as they go.

| file | holds |
|---|---|
| `guard` | who may ask the server, and how much |
| `door` | the file that the browser is opened on |
| `server` | the addresses, and what is answered there |
| `workers` | processes that simulate, and their limits |
| `worker` | such a process |
| `answers` | what is drawn of a run so far |
| `spans` | bars of work, days, flows under way, goodput by traffic |
| `controls` | the keys of a scenario as controls, from the schema |
| `toml_text` | a value changed in a text, its comments kept |
| `lessons` | Markdown files with a scenario and a question |
| `share` | a run as a file to give away |
"""
