//! Which reading of a paper's equations is meant: as they are printed, or as they must be meant.

use crate::declare::choice;

choice! {
    /// The reading of all equations of a model.
    Reading {
        Corrected = "corrected", "Slips repaired, as docs/reference/corrections.md explains.";
        AsPrinted = "as_printed", "As the paper prints them.";
    }
}

choice! {
    /// The reading of one equation, by which the effect of a single slip is seen.
    Slip {
        ByReading = "by_reading", "As the input `reading` says.";
        Corrected = "corrected", "Repaired.";
        AsPrinted = "as_printed", "As the paper prints it.";
    }
}

impl Slip {
    /// Whether the printed form is meant, given the reading of the whole.
    pub const fn printed(self, reading: Reading) -> bool {
        match self {
            Slip::ByReading => matches!(reading, Reading::AsPrinted),
            Slip::Corrected => false,
            Slip::AsPrinted => true,
        }
    }
}
