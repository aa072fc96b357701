//! The trees that html5ever makes of pages, for comparison with those of the program's parser.
//!
//! Reads pages of UTF-8 from its input, and writes of each a line for every text node, in order: the names of the elements
//! around it, a tab, the text. A page or an answer is its length (uint32, little-endian) and its bytes.

use std::io::{self, Read, Write};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{local_name, ns, parse_document, ParseOpts, QualName};
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};

fn name_of(name: &QualName) -> String {
    let space = match name.ns {
        ns!(html) => "",
        ns!(svg) => "svg:",
        ns!(mathml) => "math:",
        _ => "other:",
    };
    format!("{space}{}", name.local)
}

/// Lines for the texts of a tree. Pages nest deeply: the nodes that are to come are on the heap.
fn lines_of(document: &Handle) -> String {
    let mut lines = String::new();
    let mut waiting: Vec<(Handle, String)> = vec![(document.clone(), String::new())];
    while let Some((node, path)) = waiting.pop() {
        let below = match &node.data {
            NodeData::Text { contents } => {
                lines.push_str(&path);
                lines.push('\t');
                lines.push_str(&contents.borrow().replace('\\', "\\\\").replace('\n', "\\n"));
                lines.push('\n');
                continue;
            }
            NodeData::Element { name, template_contents, .. } => {
                let below = format!("{path}>{}", name_of(name));
                if name.ns == ns!(html) && name.local == local_name!("template") {
                    if let Some(content) = template_contents.borrow().as_ref() {
                        waiting.push((content.clone(), below.clone()));
                    }
                }
                below
            }
            _ => path,
        };
        for child in node.children.borrow().iter().rev() {
            waiting.push((child.clone(), below.clone()));
        }
    }
    lines
}

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::BufWriter::new(io::stdout().lock()));
    let mut length = [0u8; 4];
    while input.read_exact(&mut length).is_ok() {
        let mut page = vec![0u8; u32::from_le_bytes(length) as usize];
        input.read_exact(&mut page)?;
        let options = ParseOpts {
            tokenizer: TokenizerOpts { discard_bom: false, ..Default::default() },
            tree_builder: TreeBuilderOpts { scripting_enabled: false, ..Default::default() },
        };
        let dom = parse_document(RcDom::default(), options).one(StrTendril::from(String::from_utf8_lossy(&page).as_ref()));
        let lines = lines_of(&dom.document);
        output.write_all(&(lines.len() as u32).to_le_bytes())?;
        output.write_all(lines.as_bytes())?;
        output.flush()?;
    }
    Ok(())
}
