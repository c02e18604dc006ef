//! Numbers that Rust writes and NumPy looks at, without a copy between.

use numpy::ndarray::ArrayView2;
use numpy::{Element, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use std::ptr::NonNull;

/// A row for each world, at a place that stays the same as long as it lives.
pub(crate) struct Rows<T> {
    place: Place<T>,
}

/// Where rows lie.
pub(crate) struct Place<T> {
    start: NonNull<T>,
    rows: usize,
    width: usize,
}

// SAFETY: a place is an address and two counts; reading what is there is for the methods that say so.
unsafe impl<T: Send> Send for Place<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Place<T> {}

impl<T> Clone for Place<T> {
    fn clone(&self) -> Place<T> {
        *self
    }
}
impl<T> Copy for Place<T> {}

impl<T: Copy> Rows<T> {
    pub fn new(rows: usize, width: usize, value: T) -> Rows<T> {
        let numbers: Box<[T]> = vec![value; rows * width].into();
        let start = NonNull::from(Box::leak(numbers)).cast::<T>();
        Rows { place: Place { start, rows, width } }
    }

    pub fn place(&self) -> Place<T> {
        self.place
    }

    pub fn numbers(&mut self) -> &mut [T] {
        let Place { start, rows, width } = self.place;
        // SAFETY: `new` made so many there, and only `drop` takes them away. Rust has them for itself alone as long as this borrows `self`; that Python's
        // threads leave views alone meanwhile is asked of callers in the documentation of `Batch`.
        unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), rows * width) }
    }

    pub fn row(&mut self, row: usize) -> &mut [T] {
        let width = self.place.width;
        &mut self.numbers()[row * width..][..width]
    }
}

impl<T> Drop for Rows<T> {
    fn drop(&mut self) {
        let Place { start, rows, width } = self.place;
        let all = NonNull::slice_from_raw_parts(start, rows * width);
        // SAFETY: `new` leaked exactly this box, and this is called once.
        drop(unsafe { Box::from_raw(all.as_ptr()) });
    }
}

impl<T> Place<T> {
    /// The same bytes as another type.
    ///
    /// # Safety
    /// Every `T` is a `U` of the same size and alignment, and nobody writes a `U` there that is no `T`.
    pub unsafe fn seen_as<U>(self) -> Place<U> {
        Place { start: self.start.cast(), rows: self.rows, width: self.width }
    }
}

impl<T: Element> Place<T> {
    /// A NumPy array of this memory, which keeps its owner alive.
    ///
    /// # Safety
    /// The rows live as long as `owner`.
    pub unsafe fn view<'py>(self, owner: Bound<'py, PyAny>, is_writable: bool) -> Bound<'py, PyArray2<T>> {
        // SAFETY: there are so many numbers at that place.
        let view = unsafe { ArrayView2::from_shape_ptr((self.rows, self.width), self.start.as_ptr()) };
        // SAFETY: they stay there as long as the owner, which becomes the array's base.
        let array = unsafe { PyArray2::borrow_from_array(&view, owner) };
        if !is_writable {
            array.readwrite().make_nonwriteable();
        }
        array
    }
}
