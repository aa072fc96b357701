//! Classifiers in ONNX, by the C API of ONNX Runtime, whose library is loaded at run time.
//! The C side of these declarations is `src/lm/native_onnx.h`.

use std::alloc::{alloc, dealloc, Layout};
use std::ffi::{c_char, c_void, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use ort_sys::{
    ExecutionMode, ONNXTensorElementDataType, OrtAllocator, OrtAllocatorType, OrtApi, OrtApiBase, OrtEnv, OrtLoggingLevel,
    OrtMemType, OrtMemoryInfo, OrtSession, OrtStatusPtr, OrtValue, ORT_API_VERSION,
};

use crate::tokens::TokenCounter;
use crate::write_error;

const FLOAT: u32 = 1;
const INT32: u32 = 6;
const INT64: u32 = 7;
const FLOAT16: u32 = 10;
const DOUBLE: u32 = 11;

/// Texts that are scored by themselves and together, to see whether a score depends on other texts.
const PROBES: [&str; 3] = [
    "今日は晴れです。",
    "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた。",
    "A short text, in English.",
];
/// By how much the scores of these may differ, of 1 or of themselves.
const CLOSE: f64 = 1e-5;
/// The most outputs of a model.
const MOST_OUTPUTS: usize = 1 << 16;

// Blocks that ONNX Runtime asks for: behind their sizes, at addresses that its vector instructions like.
const ALIGNMENT: usize = 64;
static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST_IN_USE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "system" fn allocate(_allocator: *mut OrtAllocator, size: usize) -> *mut c_void {
    let Some(layout) = size.checked_add(ALIGNMENT).and_then(|all| Layout::from_size_align(all, ALIGNMENT).ok()) else {
        return null_mut();
    };
    let block = alloc(layout);
    if block.is_null() {
        return null_mut();
    }
    block.cast::<usize>().write(layout.size());
    let now = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
    MOST_IN_USE.fetch_max(now, Ordering::Relaxed);
    block.add(ALIGNMENT).cast()
}

unsafe extern "system" fn reserve(_allocator: *const OrtAllocator, size: usize) -> *mut c_void {
    allocate(null_mut(), size)
}

unsafe extern "system" fn free(_allocator: *mut OrtAllocator, data: *mut c_void) {
    if data.is_null() {
        return;
    }
    let block = data.cast::<u8>().sub(ALIGNMENT);
    let size = block.cast::<usize>().read();
    IN_USE.fetch_sub(size, Ordering::Relaxed);
    dealloc(block, Layout::from_size_align_unchecked(size, ALIGNMENT));
}

/// An allocator that counts.
#[repr(C)]
struct Counting {
    base: OrtAllocator,
    info: *const OrtMemoryInfo,
}

unsafe extern "system" fn info_of(allocator: *const OrtAllocator) -> *const OrtMemoryInfo {
    (*allocator.cast::<Counting>()).info
}

/// ONNX Runtime, which stays loaded.
struct Library {
    api: &'static OrtApi,
    env: *mut OrtEnv,
    info: *mut OrtMemoryInfo,
    version: String,
}

// SAFETY: the functions of the API may be called by several threads.
unsafe impl Send for Library {}
unsafe impl Sync for Library {}


impl Library {
    fn check(&self, status: OrtStatusPtr) -> Result<(), String> {
        if status.0.is_null() {
            return Ok(());
        }
        // SAFETY: a status that is not null has a message, and is released once.
        unsafe {
            let message = CStr::from_ptr((self.api.GetErrorMessage)(status.0)).to_string_lossy();
            let line = message.split_whitespace().collect::<Vec<&str>>().join(" ");
            (self.api.ReleaseStatus)(status.0);
            Err(line)
        }
    }

    unsafe fn open(path: &str) -> Result<Library, String> {
        let opened = libloading::Library::new(path).map_err(|error| error.to_string())?;
        let base: libloading::Symbol<unsafe extern "system" fn() -> *const OrtApiBase> =
            opened.get(b"OrtGetApiBase\0").map_err(|_| "it has no function OrtGetApiBase".to_string())?;
        let base = base();
        let version = CStr::from_ptr(((*base).GetVersionString)()).to_string_lossy().into_owned();
        let Some(api) = ((*base).GetApi)(ORT_API_VERSION).as_ref() else {
            return Err(format!("it is version {version}; 1.{ORT_API_VERSION} or newer is needed"));
        };
        std::mem::forget(opened);
        let mut library = Library { api, env: null_mut(), info: null_mut(), version };
        let name = c"uzushio".as_ptr();
        let (mut env, mut info) = (null_mut(), null_mut());
        library.check((api.CreateEnv)(OrtLoggingLevel::ORT_LOGGING_LEVEL_FATAL, name, &mut env))?;
        library.check((api.DisableTelemetryEvents)(env))?;
        let (kind, memory) = (OrtAllocatorType::OrtDeviceAllocator, OrtMemType::OrtMemTypeDefault);
        library.check((api.CreateCpuMemoryInfo)(kind, memory, &mut info))?;
        let base = OrtAllocator {
            version: ORT_API_VERSION,
            Alloc: Some(allocate),
            Free: Some(free),
            Info: Some(info_of),
            Reserve: Some(reserve),
        };
        let allocator = Box::leak(Box::new(Counting { base, info }));
        library.check((api.RegisterAllocator)(env, std::ptr::from_mut(allocator).cast()))?;
        (library.env, library.info) = (env, info);
        Ok(library)
    }

    /// The library of a path, which is opened once.
    fn of(path: &str) -> Result<&'static Library, String> {
        static OPENED: Mutex<Vec<(String, &'static Library)>> = Mutex::new(Vec::new());
        let mut opened = OPENED.lock().map_err(|_| "an earlier use of it failed".to_string())?;
        if let Some((_, library)) = opened.iter().find(|(known, _)| known == path) {
            return Ok(library);
        }
        // SAFETY: this is what the library is for.
        let library: &'static Library = Box::leak(Box::new(unsafe { Library::open(path)? }));
        opened.push((path.to_string(), library));
        Ok(library)
    }
}

/// Something of the library that is released.
struct Owned<T> {
    pointer: *mut T,
    release: unsafe extern "system" fn(*mut T),
}

impl<T> Owned<T> {
    fn new(release: unsafe extern "system" fn(*mut T)) -> Owned<T> {
        Owned { pointer: null_mut(), release }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if !self.pointer.is_null() {
            // SAFETY: it came from the library, and is released once.
            unsafe { (self.release)(self.pointer) };
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Meaning {
    Tokens,
    Mask,
    Types,
}

struct Input {
    name: CString,
    meaning: Meaning,
    kind: u32,
}

/// The tokens of a text, with those that are put around it.
struct Row {
    tokens: Vec<u32>,
    types: Vec<u32>,
}

/// A model and its tokenizer, shared by threads.
pub struct OnnxModel {
    library: &'static Library,
    session: Owned<OrtSession>,
    tokenizer: *const TokenCounter,
    inputs: Vec<Input>,
    output: CString,
    outputs: usize,
    most: usize,
    padding: u32,
    batches: bool,
}

fn from_half(half: u16) -> f64 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(half & 0x3FF);
    match i32::from(half >> 10 & 0x1F) {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        exponent => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

fn kind_name(kind: u32) -> String {
    match kind {
        FLOAT => "numbers of 32 bits".to_string(),
        INT32 => "integers of 32 bits".to_string(),
        INT64 => "integers of 64 bits".to_string(),
        _ => format!("elements of ONNX's type {kind}"),
    }
}

impl OnnxModel {
    fn open(library: &str, model: &[u8], tokenizer: &TokenCounter, most: usize) -> Result<(OnnxModel, usize), String> {
        let library = Library::of(library).map_err(|error| format!("library: '{library}' can not be loaded ({error})"))?;
        let mut opened = OnnxModel {
            library,
            session: Owned::new(library.api.ReleaseSession),
            tokenizer,
            inputs: Vec::new(),
            output: CString::default(),
            outputs: 0,
            most,
            padding: tokenizer.padding(),
            batches: false,
        };
        opened.load(model)?;
        opened.take_inputs()?;
        opened.take_output()?;
        let memory = opened.try_longest()?;
        opened.batches = opened.scores_alone_and_together();
        Ok((opened, memory))
    }

    fn load(&mut self, model: &[u8]) -> Result<(), String> {
        let Library { api, env, .. } = self.library;
        let check = |status| self.library.check(status);
        let mut options = Owned::new(api.ReleaseSessionOptions);
        // SAFETY: the options are there, and texts end in zero. A model whose weights lie in other files is refused: these
        // would not be part of what is known of the model, and might be any files of this machine.
        unsafe {
            check((api.CreateSessionOptions)(&mut options.pointer))?;
            check((api.SetIntraOpNumThreads)(options.pointer, 1))?;
            check((api.SetInterOpNumThreads)(options.pointer, 1))?;
            check((api.SetSessionExecutionMode)(options.pointer, ExecutionMode::ORT_SEQUENTIAL))?;
            check((api.DisableMemPattern)(options.pointer))?;
            check((api.DisableCpuMemArena)(options.pointer))?;
            for (key, value) in [
                (c"session.use_env_allocators", c"1"),
                (c"session.model_external_initializers_file_folder_path", c"/dev/null"),
            ] {
                check((api.AddSessionConfigEntry)(options.pointer, key.as_ptr(), value.as_ptr()))?;
            }
            let data = model.as_ptr().cast();
            let made = check((api.CreateSessionFromArray)(*env, data, model.len(), options.pointer, &mut self.session.pointer));
            made.map_err(|error| {
                if error.to_lowercase().contains("external data") {
                    return "its weights lie in other files; write it as one file, by \
                            onnx.save_model(onnx.load(PATH), NEW_PATH, save_as_external_data=False)"
                        .to_string();
                }
                error
            })
        }
    }

    fn names(
        &self,
        count: unsafe extern "system" fn(*const OrtSession, *mut usize) -> OrtStatusPtr,
        name: unsafe extern "system" fn(*const OrtSession, usize, *mut OrtAllocator, *mut *mut c_char) -> OrtStatusPtr,
    ) -> Result<Vec<CString>, String> {
        let (api, check) = (self.library.api, |status| self.library.check(status));
        let (mut number, mut names) = (0, Vec::new());
        // SAFETY: names are copied before they are freed by the allocator that they are of.
        unsafe {
            let mut allocator = null_mut();
            check((api.GetAllocatorWithDefaultOptions)(&mut allocator))?;
            check(count(self.session.pointer, &mut number))?;
            for index in 0..number {
                let mut text = null_mut();
                check(name(self.session.pointer, index, allocator, &mut text))?;
                names.push(CStr::from_ptr(text).to_owned());
                check((api.AllocatorFree)(allocator, text.cast()))?;
            }
        }
        Ok(names)
    }

    fn kind_of_input(&self, index: usize) -> Result<u32, String> {
        let api = self.library.api;
        let mut kind = 0u32;
        let mut info = Owned::new(api.ReleaseTypeInfo);
        let mut tensor = null();
        // SAFETY: the type is written as the integer that it is; newer versions have types that the enumeration has not.
        unsafe {
            self.library.check((api.SessionGetInputTypeInfo)(self.session.pointer, index, &mut info.pointer))?;
            self.library.check((api.CastTypeInfoToTensorInfo)(info.pointer, &mut tensor))?;
            if !tensor.is_null() {
                self.library.check((api.GetTensorElementType)(tensor, std::ptr::from_mut(&mut kind).cast()))?;
            }
        }
        Ok(kind)
    }

    fn take_inputs(&mut self) -> Result<(), String> {
        let names = self.names(self.library.api.SessionGetInputCount, self.library.api.SessionGetInputName)?;
        for (index, name) in names.into_iter().enumerate() {
            let meaning = match name.to_bytes() {
                b"input_ids" => Meaning::Tokens,
                b"attention_mask" => Meaning::Mask,
                b"token_type_ids" => Meaning::Types,
                _ => {
                    let name = name.to_string_lossy();
                    return Err(format!(
                        "it needs the input '{name}'; models of input_ids, attention_mask and token_type_ids can be used"
                    ));
                }
            };
            let kind = self.kind_of_input(index)?;
            let floats = kind == FLOAT && meaning == Meaning::Mask;
            if kind != INT64 && kind != INT32 && !floats {
                return Err(format!("its input {} takes {}, not integers", name.to_string_lossy(), kind_name(kind)));
            }
            self.inputs.push(Input { name, meaning, kind });
        }
        if self.inputs.iter().any(|input| input.meaning == Meaning::Tokens) {
            return Ok(());
        }
        Err("it has no input 'input_ids', for the tokens of a text".to_string())
    }

    fn take_output(&mut self) -> Result<(), String> {
        let names = self.names(self.library.api.SessionGetOutputCount, self.library.api.SessionGetOutputName)?;
        let logits = names.iter().find(|name| name.to_bytes() == b"logits");
        if let Some(name) = logits.or(if names.len() == 1 { names.first() } else { None }) {
            self.output.clone_from(name);
            return Ok(());
        }
        let all: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
        Err(format!("it has no output 'logits', nor one alone, but {}; export it with its classification head", all.join(", ")))
    }

    /// Runs it for the longest text: whether it can, how many outputs there are, and the memory that this takes.
    fn try_longest(&mut self) -> Result<usize, String> {
        // SAFETY: the tokenizer lives longer.
        let token = unsafe { &*self.tokenizer }.inputs("", self.most)?.get_ids().first().copied().unwrap_or(0);
        let row = Row { tokens: vec![token; self.most], types: vec![0; self.most] };
        let before = IN_USE.load(Ordering::Relaxed);
        MOST_IN_USE.store(before, Ordering::Relaxed);
        let outputs = self
            .run(&[&row])
            .map_err(|error| format!("max_tokens: it does not take a text of {} tokens: {error}", self.most))?;
        self.outputs = outputs.len();
        Ok(MOST_IN_USE.load(Ordering::Relaxed).saturating_sub(before))
    }

    /// Whether scores are the same alone and in a batch. They are not where activations are quantized by what a batch has,
    /// where there is no mask, or where a batch has one text.
    fn scores_alone_and_together(&self) -> bool {
        let together = || -> Result<bool, String> {
            let rows = PROBES.iter().map(|text| self.encode(text)).collect::<Result<Vec<Row>, String>>()?;
            let all = self.run(&rows.iter().collect::<Vec<&Row>>())?;
            for (row, batched) in rows.iter().zip(all.chunks(self.outputs)) {
                for (alone, other) in self.run(&[row])?.iter().zip(batched) {
                    if (alone - other).abs() > CLOSE * alone.abs().max(1.0) {
                        return Ok(false);
                    }
                }
            }
            Ok(true)
        };
        self.most >= PROBES.len() && together().unwrap_or(false)
    }

    fn encode(&self, text: &str) -> Result<Row, String> {
        // SAFETY: the tokenizer lives longer.
        let encoding = unsafe { &*self.tokenizer }.inputs(text, self.most)?;
        Ok(Row { tokens: encoding.get_ids().to_vec(), types: encoding.get_type_ids().to_vec() })
    }

    /// The outputs of a batch, text by text.
    fn run(&self, rows: &[&Row]) -> Result<Vec<f64>, String> {
        let api = self.library.api;
        let length = rows.iter().map(|row| row.tokens.len()).max().unwrap_or(0);
        let mut names = Vec::new();
        let mut values: Vec<Owned<OrtValue>> = Vec::new();
        let mut data: Vec<Vec<u8>> = Vec::new();
        let shape = [rows.len() as i64, length as i64];
        for input in &self.inputs {
            let mut bytes = Vec::with_capacity(rows.len() * length * 8);
            for row in rows {
                for i in 0..length {
                    let number = match (input.meaning, i < row.tokens.len()) {
                        (Meaning::Tokens, true) => row.tokens[i],
                        (Meaning::Tokens, false) => self.padding,
                        (Meaning::Mask, there) => u32::from(there),
                        (Meaning::Types, there) => if there { row.types[i] } else { 0 },
                    };
                    match input.kind {
                        INT64 => bytes.extend_from_slice(&i64::from(number).to_ne_bytes()),
                        INT32 => bytes.extend_from_slice(&number.to_ne_bytes()),
                        _ => bytes.extend_from_slice(&(number as f32).to_ne_bytes()),
                    }
                }
            }
            let kind = match input.kind {
                INT64 => ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
                INT32 => ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,
                _ => ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
            };
            let mut value = Owned::new(api.ReleaseValue);
            let info = self.library.info;
            // SAFETY: the bytes are there until the run ends.
            let made = unsafe {
                let start = bytes.as_mut_ptr().cast();
                (api.CreateTensorWithDataAsOrtValue)(info, start, bytes.len(), shape.as_ptr(), 2, kind, &mut value.pointer)
            };
            self.library.check(made)?;
            names.push(input.name.as_ptr());
            data.push(bytes);
            values.push(value);
        }
        let inputs: Vec<*const OrtValue> = values.iter().map(|value| value.pointer.cast_const()).collect();
        let mut output = Owned::new(api.ReleaseValue);
        let wanted = [self.output.as_ptr()];
        // SAFETY: there are as many names as values; a session may run in several threads.
        let ran = unsafe {
            let (names, values) = (names.as_ptr(), inputs.as_ptr());
            let session = self.session.pointer;
            (api.Run)(session, null(), names, values, inputs.len(), wanted.as_ptr(), 1, &mut output.pointer)
        };
        self.library.check(ran)?;
        drop(data);
        self.numbers_of(&output, rows.len())
    }

    fn numbers_of(&self, value: &Owned<OrtValue>, texts: usize) -> Result<Vec<f64>, String> {
        let (api, check) = (self.library.api, |status| self.library.check(status));
        let name = self.output.to_string_lossy();
        let mut info = Owned::new(api.ReleaseTensorTypeAndShapeInfo);
        let (mut dimensions, mut count, mut kind, mut start) = (0, 0, 0u32, null_mut());
        // SAFETY: the dimensions have room, and as many elements as these tell are there.
        unsafe {
            check((api.GetTensorTypeAndShape)(value.pointer, &mut info.pointer))
                .map_err(|_| format!("its output {name} is no tensor"))?;
            check((api.GetTensorElementType)(info.pointer, std::ptr::from_mut(&mut kind).cast()))?;
            check((api.GetDimensionsCount)(info.pointer, &mut dimensions))?;
            check((api.GetTensorShapeElementCount)(info.pointer, &mut count))?;
            let mut shape = vec![0i64; dimensions];
            check((api.GetDimensions)(info.pointer, shape.as_mut_ptr(), dimensions))?;
            let outputs = count / texts;
            let is_head = (dimensions == 1 || dimensions == 2) && shape[0] == texts as i64 && outputs >= 1;
            if !is_head || outputs > MOST_OUTPUTS || (self.outputs != 0 && outputs != self.outputs) {
                return Err(format!(
                    "its output {name} has the shape {shape:?} for {texts} texts; that of a classifier has a row of numbers for \
                     each"
                ));
            }
            check((api.GetTensorMutableData)(value.pointer, &mut start))?;
            match kind {
                FLOAT => Ok(std::slice::from_raw_parts(start.cast::<f32>(), count).iter().map(|one| f64::from(*one)).collect()),
                DOUBLE => Ok(std::slice::from_raw_parts(start.cast::<f64>(), count).to_vec()),
                FLOAT16 => Ok(std::slice::from_raw_parts(start.cast::<u16>(), count).iter().map(|one| from_half(*one)).collect()),
                _ => Err(format!("its output {name} has {}, not floating-point numbers", kind_name(kind))),
            }
        }
    }

    /// Sets the outputs of texts; texts of no token, which a model cannot be run for, have zeros.
    fn score(&self, texts: &[&str], outputs: &mut [f64]) -> Result<(), String> {
        outputs.fill(0.0);
        let rows = texts.iter().map(|text| self.encode(text)).collect::<Result<Vec<Row>, String>>()?;
        let mut order: Vec<usize> = (0..rows.len()).filter(|place| !rows[*place].tokens.is_empty()).collect();
        order.sort_by_key(|place| rows[*place].tokens.len());
        let mut left = order.as_slice();
        while let Some(last) = left.last() {
            // The longest that are left, as many as have no more tokens than the longest text may have, with padding.
            let most = if self.batches { self.most / rows[*last].tokens.len() } else { 1 };
            let (rest, batch) = left.split_at(left.len() - most.clamp(1, left.len()));
            left = rest;
            let numbers = self.run(&batch.iter().map(|place| &rows[*place]).collect::<Vec<&Row>>())?;
            for (place, row) in batch.iter().zip(numbers.chunks(self.outputs)) {
                outputs[place * self.outputs..(place + 1) * self.outputs].copy_from_slice(row);
            }
        }
        Ok(())
    }
}

/// What `work` gives, with its error written; a panic in it is one.
///
/// # Safety
/// `error` has room for `capacity` bytes, and `length` is writable.
unsafe fn told<T>(work: impl FnOnce() -> Result<T, String>, error: *mut u8, capacity: usize, length: *mut usize) -> Option<T> {
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("it can not go on".to_string()));
    match result {
        Ok(value) => Some(value),
        Err(message) => {
            *length = write_error(&message, error, capacity);
            None
        }
    }
}

/// What is known of a model.
#[repr(C)]
pub struct OnnxShape {
    outputs: u64,
    /// Bytes that a thread needs for a batch.
    memory: u64,
    /// Whether texts are scored in batches.
    batches: bool,
    /// The version of the library, which ends in zero.
    version: [u8; 32],
}

/// A piece of text.
#[repr(C)]
pub struct Piece {
    data: *const u8,
    length: usize,
}

unsafe fn text_of<'a>(data: *const u8, length: usize) -> &'a str {
    std::str::from_utf8_unchecked(std::slice::from_raw_parts(data, length))
}

/// A model of what a file of ONNX has, by the library of a path; null when it can not be used. Then `error_length` bytes of
/// `error` say why.
///
/// # Safety
/// The pointers have the lengths given; the path is UTF-8. `tokenizer` lives longer than the result, which goes to
/// `uz_onnx_close`.
#[no_mangle]
pub unsafe extern "C" fn uz_onnx_open(
    library: *const u8,
    library_length: usize,
    model: *const u8,
    model_length: usize,
    tokenizer: *const TokenCounter,
    max_tokens: usize,
    shape: *mut OnnxShape,
    error: *mut u8,
    error_capacity: usize,
    error_length: *mut usize,
) -> *mut OnnxModel {
    let library = text_of(library, library_length);
    let model = std::slice::from_raw_parts(model, model_length);
    let open = || OnnxModel::open(library, model, &*tokenizer, max_tokens);
    let Some((opened, memory)) = told(open, error, error_capacity, error_length) else {
        return null_mut();
    };
    let mut version = [0; 32];
    write_error(&opened.library.version, version.as_mut_ptr(), version.len() - 1);
    *shape = OnnxShape { outputs: opened.outputs as u64, memory: memory as u64, batches: opened.batches, version };
    Box::into_raw(Box::new(opened))
}

/// Closes a model.
///
/// # Safety
/// `model` came from `uz_onnx_open` and is not used again.
#[no_mangle]
pub unsafe extern "C" fn uz_onnx_close(model: *mut OnnxModel) {
    drop(Box::from_raw(model));
}

/// Writes the outputs of texts, one after the other, to `outputs`. Whether they could be scored; if not, `error_length` bytes
/// of `error` say why.
///
/// # Safety
/// `model` came from `uz_onnx_open`; `texts` are `count` pieces of UTF-8, and `outputs` has room for the outputs of each.
#[no_mangle]
pub unsafe extern "C" fn uz_onnx_score(
    model: *const OnnxModel,
    texts: *const Piece,
    count: usize,
    outputs: *mut f64,
    error: *mut u8,
    error_capacity: usize,
    error_length: *mut usize,
) -> bool {
    let model = &*model;
    let pieces = std::slice::from_raw_parts(texts, count);
    let texts: Vec<&str> = pieces.iter().map(|piece| text_of(piece.data, piece.length)).collect();
    let outputs = std::slice::from_raw_parts_mut(outputs, count * model.outputs);
    told(|| model.score(&texts, outputs), error, error_capacity, error_length).is_some()
}
