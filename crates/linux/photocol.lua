-- Slots of an agile all-photonic network in Wireshark: wireshark -X lua_script:photocol.lua node-0.pcapng
-- Captures of photocol-node have the link type USER0; docs/protocol.md has the tables.

local photocol = Proto("photocol", "Slot of an agile all-photonic network")

local planes = { [0] = "light", [1] = "beside the light" }
local classes = { [0] = "signalling", [1] = "data", [2] = "control" }
local stamps = { [0] = "exact", [1] = "follows" }
local blocks = {
  [1] = "invitation", [2] = "answer", [3] = "configuration", [4] = "measurement", [5] = "follow-up", [6] = "request",
  [7] = "allocation", [8] = "fault", [16] = "beacon", [17] = "claim", [18] = "plan", [19] = "verdict", [32] = "ip",
  [33] = "file", [34] = "management",
}
local nodes = { [0xFFFE] = "core", [0xFFFF] = "all" }

local f = {
  plane = ProtoField.uint8("photocol.plane", "Plane", base.DEC, planes),
  datagrams = ProtoField.uint16("photocol.datagrams", "Datagrams of the slot"),
  late = ProtoField.int64("photocol.late", "Late (ps)"),
  version = ProtoField.uint8("photocol.version", "Version"),
  class = ProtoField.uint8("photocol.class", "Class", base.DEC, classes),
  source = ProtoField.uint16("photocol.source", "Source", base.DEC, nodes),
  destination = ProtoField.uint16("photocol.destination", "Destination", base.DEC, nodes),
  frame = ProtoField.uint64("photocol.frame", "Frame"),
  slot = ProtoField.uint32("photocol.slot", "Slot"),
  piece = ProtoField.uint16("photocol.piece", "Piece"),
  stamp = ProtoField.uint8("photocol.stamp", "Stamp", base.DEC, stamps),
  session = ProtoField.uint64("photocol.session", "Session"),
  peer_session = ProtoField.uint64("photocol.peer_session", "Peer session"),
  sequence = ProtoField.uint64("photocol.sequence", "Sequence"),
  sent_at = ProtoField.uint64("photocol.sent_at", "Sent at (ps)"),
  length = ProtoField.uint32("photocol.length", "Length"),
  checksum = ProtoField.uint32("photocol.checksum", "Checksum (CRC-32C)", base.HEX),
  tag = ProtoField.bytes("photocol.tag", "Tag"),
  block = ProtoField.uint8("photocol.block", "Block", base.DEC, blocks),
  block_length = ProtoField.uint16("photocol.block.length", "Length"),
  data = ProtoField.bytes("photocol.block.data", "Data"),
  term = ProtoField.uint64("photocol.term", "Term"),
  difference = ProtoField.int64("photocol.time_difference", "T_d (ps)"),
  drift = ProtoField.int32("photocol.drift", "Drift (1e-12)"),
  grant_slot = ProtoField.uint32("photocol.grant.slot", "First slot"),
  grant_slots = ProtoField.uint32("photocol.grant.slots", "Slots"),
  grant_to = ProtoField.uint16("photocol.grant.destination", "Destination", base.DEC, nodes),
  wish_to = ProtoField.uint16("photocol.wish.destination", "Destination", base.DEC, nodes),
  wish_slots = ProtoField.uint32("photocol.wish.slots", "Slots"),
}
photocol.fields = f

local broken = ProtoExpert.new("photocol.broken", "Ends early", expert.group.MALFORMED, expert.severity.ERROR)
photocol.experts = { broken }

local LINE, HEADER = 16, 64

-- What a block says, for those that are read most.
local inside = {
  [4] = function(data, tree) -- measurement
    if data:len() >= 36 then
      tree:add_le(f.difference, data(24, 8))
      tree:add_le(f.drift, data(32, 4))
    end
  end,
  [6] = function(data, tree) -- request
    tree:add_le(f.term, data(0, 8))
    for at = 18, data:len() - 6, 6 do
      tree:add_le(f.wish_to, data(at, 2))
      tree:add_le(f.wish_slots, data(at + 2, 4))
    end
  end,
  [7] = function(data, tree) -- allocation
    tree:add_le(f.term, data(0, 8))
    for at = 18, data:len() - 10, 10 do
      tree:add_le(f.grant_slot, data(at, 4))
      tree:add_le(f.grant_slots, data(at + 4, 4))
      tree:add_le(f.grant_to, data(at + 8, 2))
    end
  end,
  [16] = function(data, tree) tree:add_le(f.term, data(0, 8)) end, -- beacon
}

local function add_header(slot, tree)
  tree:add_le(f.version, slot(2, 1))
  tree:add_le(f.class, slot(3, 1))
  tree:add_le(f.source, slot(4, 2))
  tree:add_le(f.destination, slot(6, 2))
  tree:add_le(f.frame, slot(8, 8))
  tree:add_le(f.slot, slot(16, 4))
  tree:add_le(f.piece, slot(20, 2))
  tree:add_le(f.stamp, slot(22, 1))
  tree:add_le(f.session, slot(24, 8))
  tree:add_le(f.peer_session, slot(32, 8))
  tree:add_le(f.sequence, slot(40, 8))
  tree:add_le(f.sent_at, slot(48, 8))
  tree:add_le(f.length, slot(56, 4))
  tree:add_le(f.checksum, slot(60, 4))
end

-- The names of the blocks.
local function add_blocks(payload, tree)
  local names, at = {}, 0
  while at + 4 <= payload:len() do
    local code, length = payload(at, 1):uint(), payload(at + 2, 2):le_uint()
    if at + 4 + length > payload:len() then
      tree:add_proto_expert_info(broken)
      return names
    end
    names[#names + 1] = blocks[code] or ("block " .. code)
    local branch = tree:add_le(f.block, payload(at, 1))
    branch:add_le(f.block_length, payload(at + 2, 2))
    if length > 0 then
      local data = payload(at + 4, length)
      branch:add(f.data, data)
      if inside[code] and length >= 8 then inside[code](data, branch) end
    end
    at = at + 4 + length
  end
  return names
end

function photocol.dissector(buffer, pinfo, root)
  pinfo.cols.protocol = "photocol"
  local tree = root:add(photocol, buffer())
  if buffer:len() < LINE + HEADER then
    tree:add_proto_expert_info(broken)
    return
  end
  tree:add_le(f.plane, buffer(3, 1))
  tree:add_le(f.datagrams, buffer(4, 2), buffer(4, 2):le_uint() + 1)
  tree:add_le(f.late, buffer(8, 8))
  local slot = buffer(LINE)
  add_header(slot, tree)
  local length = slot(56, 4):le_uint()
  if HEADER + length > slot:len() then
    tree:add_proto_expert_info(broken)
    return
  end
  local names = {}
  if length > 0 then names = add_blocks(slot(HEADER, length), tree) end
  if slot:len() > HEADER + length then tree:add(f.tag, slot(HEADER + length)) end
  local function name(number) return nodes[number] or tostring(number) end
  pinfo.cols.src = name(slot(4, 2):le_uint())
  pinfo.cols.dst = name(slot(6, 2):le_uint())
  pinfo.cols.info = (classes[slot(3, 1):uint()] or "?") .. ", slot " .. slot(16, 4):le_uint() .. ": " .. table.concat(names, ", ")
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, photocol)
