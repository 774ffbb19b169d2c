-- Shows the comments of `residue pcap annotate` as fields: the cause of a wrong check value, or what
-- happened to a packet between two points, and the rest of the comment. Packets with one have an
-- expert item, so that Analyze, Expert Information lists them, and filters such as
-- `residue.cause == "rewritten"` and columns work.
--
-- Put this file into the folder that Help, About, Folders calls the personal Lua plugins, or run
-- `wireshark -X lua_script:residue.lua noted.pcapng`.

local residue = Proto("residue", "Check values (residue)")
local cause = ProtoField.string("residue.cause", "Cause")
local detail = ProtoField.string("residue.detail", "Detail")
local found =
    ProtoExpert.new("residue.found", "Found", expert.group.CHECKSUM, expert.severity.WARN)
residue.fields = { cause, detail }
residue.experts = { found }

local comment = Field.new("frame.comment")

function residue.dissector(buffer, pinfo, tree)
    for _, field in ipairs({ comment() }) do
        local name, rest = tostring(field.value):match("^residue: ([^:]+): (.*)$")
        if name then
            local item = tree:add(residue, buffer(0, 0), "Check values: " .. name)
            item:add(cause, name)
            item:add(detail, rest)
            item:add_proto_expert_info(found, name .. ": " .. rest)
        end
    end
end

register_postdissector(residue)
