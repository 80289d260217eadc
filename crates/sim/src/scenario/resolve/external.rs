//! `[external]`: hosts outside, and what they sent in an earlier run.

use super::Context;
use crate::language::keys::Table;
use crate::language::{At, Fault, Place, quoted, read_text};
use crate::model::{Arrivals, Ecn, Ends, External, ExternalPacket, MOST_EXTERNAL, NodeId, SimTime, Traffic};
use crate::scenario::spec::{self, Spec};
use options::Words;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use units::{Field, Rows, Separator};

/// The largest recording.
const MAX_BYTES: u64 = 1 << 30;
const COLUMNS: [&str; 5] = ["time_ps", "from", "to", "bytes", "ecn"];

/// The longest packet of hosts outside.
pub(super) fn largest_packet(spec: &Spec) -> u32 {
    spec.external.as_ref().map_or(0, |table| table.mtu.0.count() as u32)
}

/// The hosts outside, if some are.
pub(super) fn resolve(spec: &Spec, traffic: &[Traffic], context: &Context) -> Result<Option<External>, Fault> {
    let Some(table) = &spec.external else { return Ok(None) };
    table.check()?;
    let mut hosts: Vec<NodeId> = Vec::new();
    for name in table.hosts.iter() {
        let node = context.draft.require(name, name.place())?;
        if hosts.contains(&node) {
            return Err(name.fault(format!("found {} a second time", quoted(name))));
        }
        if let Some(first) =
            hosts.first().filter(|first| context.component[first.index()] != context.component[node.index()])
        {
            return Err(name.fault(context.no_way(*first, node)));
        }
        hosts.push(node);
    }
    if !(2..=MOST_EXTERNAL).contains(&hosts.len()) {
        let message = format!("found {} hosts; allowed: 2 to {MOST_EXTERNAL}", hosts.len());
        return Err(table.hosts.fault(message));
    }
    let mut external = External { hosts, mtu: table.mtu.0.count() as u32, recording: None };
    refuse_work(table, traffic, &external)?;
    if let Some(file) = &table.recording {
        external.recording = Some(Arc::new(Recording { file, table, external: &external }.read()?));
    }
    Ok(Some(external))
}

/// What depends on a host outside would wait for ever.
fn refuse_work(table: &At<spec::External>, traffic: &[Traffic], external: &External) -> Result<(), Fault> {
    for one in traffic.iter().filter(|one| matches!(one.arrivals, Arrivals::Work(_))) {
        let Ends::Pairs(pairs) = one.arrivals.ends() else { continue };
        if pairs.iter().any(|(from, to)| external.has(*from) || external.has(*to)) {
            let message = format!("the work {} has a rank at one of these; allowed: other nodes", quoted(&one.name));
            return Err(table.hosts.fault(message));
        }
    }
    Ok(())
}

/// A file of packets that have entered.
struct Recording<'r> {
    file: &'r At<String>,
    table: &'r At<spec::External>,
    external: &'r External,
}

impl Recording<'_> {
    fn fault(&self, line: u32, column: u32, message: impl Into<String>) -> Fault {
        let (node, file) = (self.file.node(), self.file.to_string());
        Fault::new(Place::Data { node, file, line, column }, message)
    }

    fn read(&self) -> Result<Vec<ExternalPacket>, Fault> {
        let text = read_text(Path::new(self.file.as_str()), MAX_BYTES);
        let text = text.map_err(|why| self.file.fault(format!("found {}: {why}", quoted(self.file))))?;
        let mut rows = Rows::new(&text, Separator::Comma);
        let (mut fields, mut packets) = (Vec::new(), Vec::<ExternalPacket>::new());
        self.row(&mut rows, &mut fields)?;
        let titles: Vec<&str> = fields.iter().map(|field| &*field.text).collect();
        if titles != COLUMNS {
            let message = format!("found the columns {}; allowed: {}", titles.join(","), COLUMNS.join(","));
            return Err(self.fault(fields.first().map_or(1, |field| field.line), 1, message));
        }
        while self.row(&mut rows, &mut fields)? {
            let packet = self.packet(&fields)?;
            if let Some(before) = packets.last().filter(|before| before.at > packet.at) {
                let message = format!(
                    "found {}; allowed: from {} on, the time of the row before",
                    packet.at.ps(),
                    before.at.ps()
                );
                return Err(self.fault(fields[0].line, fields[0].column, message));
            }
            packets.push(packet);
        }
        Ok(packets)
    }

    fn row<'t>(&self, rows: &mut Rows<'t>, fields: &mut Vec<Field<'t>>) -> Result<bool, Fault> {
        rows.read(fields).map_err(|why| self.fault(why.line, why.column, why.reason))
    }

    fn packet(&self, fields: &[Field]) -> Result<ExternalPacket, Fault> {
        let [time, from, to, bytes, ecn] = fields else {
            let (line, found) = (fields.first().map_or(1, |field| field.line), fields.len());
            return Err(self.fault(line, 1, format!("found {found} fields; allowed: {}", COLUMNS.join(","))));
        };
        let (from_host, to_host) = (self.host(from)?, self.host(to)?);
        if from_host == to_host {
            return Err(self.wrong(to, "another host"));
        }
        Ok(ExternalPacket {
            at: SimTime::from_ps(self.number(time, 0..=u64::MAX - 1)?),
            from: from_host,
            to: to_host,
            bytes: self.number(bytes, 1..=self.external.mtu.into())? as u16,
            ecn: Ecn::from_word(&ecn.text).ok_or_else(|| self.wrong(ecn, "not-ect, ect0, ect1, ce"))?,
        })
    }

    fn wrong(&self, field: &Field, allowed: &str) -> Fault {
        self.fault(field.line, field.column, format!("found {}; allowed: {allowed}", quoted(&field.text)))
    }

    /// A whole number in a range.
    fn number(&self, field: &Field, range: RangeInclusive<u64>) -> Result<u64, Fault> {
        let number = field.text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| self.wrong(field, &format!("a whole number from {} to {}", range.start(), range.end())))
    }

    /// The place of a host.
    fn host(&self, field: &Field) -> Result<u16, Fault> {
        let names = &self.table.hosts;
        let place = names.iter().position(|name| name.as_str() == field.text);
        place.map(|place| place as u16).ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            self.wrong(field, &known.join(", "))
        })
    }
}
