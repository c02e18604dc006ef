//! NPZ out: named arrays in one file that `numpy.load` reads.
//!
//! An NPZ is a ZIP archive of NPY files. The members are stored, not compressed; all dates are 1980-01-01, so that the
//! same arrays give the same bytes; and every array's data start at a multiple of 64 bytes in its NPY file.

use std::collections::BTreeSet;
use thiserror::Error;

/// One named array, in C order.
#[derive(Clone, Debug, PartialEq)]
pub struct NpzArray {
    /// Key in the loaded file.
    pub name: String,
    /// Length along each axis; empty for a scalar. A text is always a scalar.
    pub shape: Vec<usize>,
    /// The elements, last axis fastest.
    pub data: NpzData,
}

/// Elements of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum NpzData {
    /// `float64`.
    F64(Vec<f64>),
    /// `float32`.
    F32(Vec<f32>),
    /// `int64`.
    I64(Vec<i64>),
    /// One Unicode string, NumPy's `<U…`; `array.item()` gives it back.
    Text(String),
}

/// Why arrays cannot become an NPZ file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NpzError {
    /// The number of elements is not the product of the shape.
    #[error("array '{name}' has {elements} elements, but its shape {shape:?} asks for another number")]
    Shape {
        /// Name of the array.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
        /// Its number of elements.
        elements: usize,
    },
    /// Two arrays have the same name.
    #[error("there are two arrays named '{0}'; give each its own name")]
    Duplicate(String),
    /// A name that ZIP cannot hold.
    #[error("the name of array '{}…' is longer than 65,000 bytes", .0.chars().take(40).collect::<String>())]
    Name(String),
    /// More than a ZIP file without 64-bit extensions holds: 4 GiB or 65,534 arrays.
    #[error("array '{0}' would make the file larger than 4 GiB or 65,534 arrays; split it into several files")]
    TooLarge(String),
}

/// The bytes of an NPZ file that holds `arrays`.
pub fn write_npz(arrays: &[NpzArray]) -> Result<Vec<u8>, NpzError> {
    let mut writer = NpzWriter::new();
    for array in arrays {
        writer.add(array)?;
    }
    Ok(writer.finish())
}

/// Builds an NPZ file array by array.
#[derive(Clone, Debug, Default)]
pub struct NpzWriter {
    /// Members so far.
    members: Vec<u8>,
    /// Their entries of the central directory.
    directory: Vec<u8>,
    names: BTreeSet<String>,
}

impl NpzWriter {
    /// A file without arrays.
    pub fn new() -> Self {
        NpzWriter::default()
    }

    /// Appends an array. After an error the file is as it was before.
    pub fn add(&mut self, array: &NpzArray) -> Result<(), NpzError> {
        if self.names.contains(&array.name) {
            return Err(NpzError::Duplicate(array.name.clone()));
        }
        let file_name = format!("{}.npy", array.name);
        if file_name.len() > 65_000 {
            return Err(NpzError::Name(array.name.clone()));
        }
        let npy_header = npy_header(array)?;

        // Sizes are checked before anything is copied.
        let size = npy_header.len() as u64 + data_size(&array.data);
        let file_size = (self.members.len() + self.directory.len()) as u64 + member_overhead(&file_name) + size;
        if !fits_zip(self.names.len() + 1, file_size) {
            return Err(NpzError::TooLarge(array.name.clone()));
        }
        let offset = self.members.len() as u32;

        let start = self.members.len();
        self.members.resize(start + 30, 0);
        self.members.extend(file_name.as_bytes());
        let npy_start = self.members.len();
        self.members.extend(&npy_header);
        append_data(&mut self.members, &array.data);
        let crc = crc32(&self.members[npy_start..]);

        // Common to the local and the central header: versions and flags, date, checksum, sizes.
        let flags = if file_name.is_ascii() { 0 } else { UTF8_NAME };
        let mut common = Vec::with_capacity(26);
        for field in [ZIP_VERSION, flags, STORED, MIDNIGHT, FIRST_OF_1980] {
            common.extend(field.to_le_bytes());
        }
        for field in [crc, size as u32, size as u32] {
            common.extend(field.to_le_bytes());
        }
        common.extend((file_name.len() as u16).to_le_bytes());
        common.extend([0; 2]); // no extra field

        self.members[start..start + 4].copy_from_slice(b"PK\x03\x04");
        self.members[start + 4..start + 30].copy_from_slice(&common);

        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(ZIP_VERSION.to_le_bytes()); // made by
        self.directory.extend(&common);
        self.directory.extend([0; 10]); // comment length, disk, attributes
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(file_name.as_bytes());
        self.names.insert(array.name.clone());
        Ok(())
    }

    /// The finished file.
    pub fn finish(self) -> Vec<u8> {
        let NpzWriter { members: mut file, directory, names } = self;
        let directory_offset = file.len() as u32;
        let count = (names.len() as u16).to_le_bytes();
        file.extend(&directory);
        file.extend(b"PK\x05\x06");
        file.extend([0; 4]); // disk numbers
        file.extend(count);
        file.extend(count);
        file.extend((directory.len() as u32).to_le_bytes());
        file.extend(directory_offset.to_le_bytes());
        file.extend([0; 2]); // comment length
        file
    }
}

/// Bytes that one member takes besides its contents: local header, central header, twice the name.
fn member_overhead(file_name: &str) -> u64 {
    30 + 46 + 2 * file_name.len() as u64
}

/// Whether ZIP's 16-bit count and 32-bit sizes and offsets suffice; the closing record takes 22 bytes.
/// The largest values are kept free: they announce a ZIP64 file.
fn fits_zip(members: usize, size: u64) -> bool {
    members < usize::from(u16::MAX) && size + 22 < u64::from(u32::MAX)
}

const ZIP_VERSION: u16 = 20;
const UTF8_NAME: u16 = 1 << 11;
const STORED: u16 = 0;
const MIDNIGHT: u16 = 0;
/// DOS date: years since 1980 · 512 + month · 32 + day.
const FIRST_OF_1980: u16 = 32 + 1;

/// Magic, version 1.0, header length and the header, padded with spaces to a multiple of 64 bytes.
fn npy_header(array: &NpzArray) -> Result<Vec<u8>, NpzError> {
    let (kind, elements) = match &array.data {
        NpzData::F64(values) => ("<f8".into(), values.len()),
        NpzData::F32(values) => ("<f4".into(), values.len()),
        NpzData::I64(values) => ("<i8".into(), values.len()),
        // NumPy has no string type of length zero in files; an empty one is one NUL, which it strips.
        NpzData::Text(text) => (format!("<U{}", text.chars().count().max(1)), 1),
    };
    let product = array.shape.iter().try_fold(1_usize, |product, length| product.checked_mul(*length));
    let is_text = matches!(array.data, NpzData::Text(_));
    if product != Some(elements) || (is_text && !array.shape.is_empty()) {
        return Err(NpzError::Shape { name: array.name.clone(), shape: array.shape.clone(), elements });
    }

    let lengths: Vec<String> = array.shape.iter().map(usize::to_string).collect();
    let comma = if lengths.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", lengths.join(", "));
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.extend(std::iter::repeat_n(' ', padded - header.len() - 1));
    header.push('\n');
    // Version 1.0 counts the header in 16 bits: some ten thousand axes.
    let length = u16::try_from(header.len()).map_err(|_| NpzError::TooLarge(array.name.clone()))?;

    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    Ok(bytes)
}

fn data_size(data: &NpzData) -> u64 {
    match data {
        NpzData::F64(values) => 8 * values.len() as u64,
        NpzData::F32(values) => 4 * values.len() as u64,
        NpzData::I64(values) => 8 * values.len() as u64,
        NpzData::Text(text) => 4 * text.chars().count().max(1) as u64,
    }
}

fn append_data(bytes: &mut Vec<u8>, data: &NpzData) {
    match data {
        NpzData::F64(values) => bytes.extend(values.iter().flat_map(|x| x.to_le_bytes())),
        NpzData::F32(values) => bytes.extend(values.iter().flat_map(|x| x.to_le_bytes())),
        NpzData::I64(values) => bytes.extend(values.iter().flat_map(|x| x.to_le_bytes())),
        NpzData::Text(text) if text.is_empty() => bytes.extend([0; 4]),
        NpzData::Text(text) => bytes.extend(text.chars().flat_map(|c| u32::from(c).to_le_bytes())),
    }
}

/// CRC-32 of ZIP: reflected polynomial 0xEDB88320, start and final value inverted.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = crc_table();
    !bytes.iter().fold(!0, |crc, byte| (crc >> 8) ^ TABLE[usize::from(crc as u8 ^ byte)])
}

const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(name: &str, shape: &[usize], data: NpzData) -> NpzArray {
        NpzArray { name: name.into(), shape: shape.into(), data }
    }

    #[test]
    fn crc_of_the_usual_check_string() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn one_array_byte_for_byte() {
        let file = write_npz(&[array("q", &[2], NpzData::F32(vec![1.0, -2.0]))]).expect("a small file");
        // Local header, name, NPY header of 128 bytes, 8 bytes of data.
        assert_eq!(&file[..8], b"PK\x03\x04\x14\x00\x00\x00");
        assert_eq!(&file[8..14], [0, 0, 0, 0, 33, 0], "stored, midnight, 1980-01-01");
        assert_eq!(&file[14..18], crc32(&file[35..171]).to_le_bytes());
        assert_eq!(&file[18..26], [136, 0, 0, 0, 136, 0, 0, 0]);
        assert_eq!(&file[30..35], b"q.npy");
        assert_eq!(&file[35..45], b"\x93NUMPY\x01\x00\x76\x00");
        let header = std::str::from_utf8(&file[45..163]).expect("ASCII");
        assert_eq!(header.trim_end(), "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }");
        assert!(header.ends_with(" \n"));
        assert_eq!(&file[163..171], [0, 0, 128, 63, 0, 0, 0, 192]);
        // Central directory and its end.
        assert_eq!(&file[171..175], b"PK\x01\x02");
        assert_eq!(&file[217..222], b"q.npy");
        assert_eq!(&file[222..226], b"PK\x05\x06");
        assert_eq!(&file[234..242], [51, 0, 0, 0, 171, 0, 0, 0]);
        assert_eq!(file.len(), 244);
    }

    #[test]
    fn data_are_aligned_for_every_shape() {
        for axes in 0..60 {
            let array = array("x", &vec![1; axes], NpzData::I64(vec![7]));
            assert_eq!(npy_header(&array).expect("a valid array").len() % 64, 0, "{axes} axes");
        }
    }

    #[test]
    fn text_is_utf32_and_never_empty() {
        let mut bytes = Vec::new();
        append_data(&mut bytes, &NpzData::Text("aé".into()));
        assert_eq!(bytes, [0x61, 0, 0, 0, 0xE9, 0, 0, 0]);
        let header = npy_header(&array("t", &[], NpzData::Text(String::new()))).expect("a valid array");
        assert!(header.windows(5).any(|window| window == b"'<U1'"));
        assert_eq!(data_size(&NpzData::Text(String::new())), 4);
    }

    #[test]
    fn wrong_shapes_and_repeated_names_are_errors() {
        let short = array("x", &[2, 3], NpzData::F64(vec![0.0; 5]));
        assert!(matches!(write_npz(&[short]), Err(NpzError::Shape { elements: 5, .. })));
        let overflow = array("x", &[usize::MAX, 2], NpzData::F64(vec![]));
        assert!(matches!(write_npz(&[overflow]), Err(NpzError::Shape { .. })));
        let listed = array("x", &[1], NpzData::Text("one".into()));
        assert!(matches!(write_npz(&[listed]), Err(NpzError::Shape { .. })));
        let x = array("x", &[], NpzData::I64(vec![1]));
        assert_eq!(write_npz(&[x.clone(), x]), Err(NpzError::Duplicate("x".into())));
    }

    #[test]
    fn more_than_four_gibibytes_or_65534_arrays_is_too_large() {
        assert!(fits_zip(1, (1 << 32) - 24));
        assert!(!fits_zip(1, (1 << 32) - 23));
        assert!(fits_zip(65_534, 0));
        let mut writer = NpzWriter { names: (0..65_534).map(|i| i.to_string()).collect(), ..NpzWriter::new() };
        assert_eq!(
            writer.add(&array("x", &[], NpzData::I64(vec![1]))),
            Err(NpzError::TooLarge("x".into())),
            "one array more than ZIP counts"
        );
        assert!(writer.members.is_empty() && writer.directory.is_empty());
    }
}
