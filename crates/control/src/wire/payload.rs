//! What slots are there for: data of the layers above (paper 003 §3.3.2: code, length, data block).

use super::field::message;

message! {
    /// A packet of IP, or a part of one.
    pub struct IpPacket {
        /// the number of the packet between these two nodes
        pub packet: u64,
        /// where in the packet these bytes stand
        pub offset: u16,
        /// bytes of the whole packet
        pub length: u16,
        /// the bytes
        pub bytes: Vec<u8>,
    }
}

message! {
    /// A part of a file.
    pub struct FileChunk {
        /// which transfer between these two nodes
        pub transfer: u32,
        /// where in the file these bytes stand
        pub offset: u64,
        /// bytes of the whole file
        pub length: u64,
        /// the bytes
        pub bytes: Vec<u8>,
    }
}

message! {
    /// Management: bytes that the network carries and does not read.
    pub struct Management {
        /// what they are about
        pub topic: u16,
        /// the bytes
        pub bytes: Vec<u8>,
    }
}
