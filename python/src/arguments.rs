//! Arguments from Python, checked.

use crate::error::{OrRaise, raised};
use numpy::{PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use sinew::settings::Named;

/// A value of an enum by its name.
pub(crate) fn named<T: Named>(name: &str) -> PyResult<T> {
    T::find(name).or_raise()
}

/// Refuses numbers that are none.
pub(crate) fn finite(what: &str, numbers: &[f64]) -> PyResult<()> {
    match numbers.iter().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err(raised(format!("{what} is {numbers:?}; give finite numbers"))),
    }
}

/// Numbers that NumPy can bring to `rows` rows of `width`: as they are, or one row for all.
pub(crate) fn rows(what: &str, given: &Bound<'_, PyAny>, rows: usize, width: usize) -> PyResult<Vec<f32>> {
    let py = given.py();
    let numpy = py.import("numpy")?;
    let no_fit = |error: PyErr| {
        raised(format!(
            "{what} does not fit: give {rows} rows of {width} numbers, or one row for all ({})",
            error.value(py)
        ))
    };
    let array = numpy.call_method1("asarray", (given, "float32")).map_err(no_fit)?;
    let array = numpy.call_method1("broadcast_to", (array, (rows, width))).map_err(no_fit)?;
    let array: PyReadonlyArray2<'_, f32> = numpy.call_method1("ascontiguousarray", (array,))?.extract()?;
    Ok(array.as_slice()?.to_vec())
}

/// The worlds that are meant: all, one, some by number, or those of a mask of booleans.
pub(crate) fn worlds(given: Option<&Bound<'_, PyAny>>, count: usize) -> PyResult<Vec<usize>> {
    let Some(given) = given else { return Ok((0..count).collect()) };
    let numpy = given.py().import("numpy")?;
    let array = numpy.call_method1("atleast_1d", (given,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let length = array.len()?;
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    let array = match kind.as_str() {
        _ if dimensions != 1 => {
            return Err(raised("worlds are given by a list or by one row of booleans, not by a table"));
        }
        "b" if length != count => {
            let problem =
                format!("a mask of worlds has {length} booleans, but there are {count} worlds; give one for each");
            return Err(raised(problem));
        }
        "b" => numpy.call_method1("flatnonzero", (array,))?,
        _ if length == 0 => return Ok(Vec::new()),
        "i" | "u" => array,
        _ => return Err(raised("worlds are given by their numbers or by a boolean for each")),
    };
    let array = numpy.call_method1("ascontiguousarray", (array, "int64"))?;
    let array = array.cast_into::<numpy::PyArray1<i64>>().or_raise()?;
    let numbers = array.readonly();
    let number = |&world: &i64| {
        let found = usize::try_from(world).ok().filter(|world| *world < count);
        found.ok_or_else(|| raised(format!("there is no world {world}: the batch has {count}, from 0 on")))
    };
    debug_assert_eq!(numbers.ndim(), 1);
    numbers.as_slice()?.iter().map(number).collect()
}
