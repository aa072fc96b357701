// Pages, changed pages, and the texts of their trees, for comparison with another parser:
//
//   bench_trees pages FILE.warc.gz   the archive's HTML pages
//   bench_trees mutants N SEED       of each page in the input N others: tags and texts are moved, doubled, taken away
//   bench_trees lines                of each page a line for every text node, in order: the names of the elements
//                                    around it, a tab, the text; nothing where limits refuse the page
//
// Pages and answers are framed (bench/framed.h).
#include <lexbor/dom/interfaces/character_data.h>
#include <lexbor/html/html.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../fuzz/html.h"
#include "base/utf8.h"
#include "framed.h"
#include "html/html_parser.h"
#include "pages.h"

// The mutations here are those of tokens.
extern "C" size_t LLVMFuzzerMutate(uint8_t*, size_t size, size_t) { return size; }

namespace {

int Pages(const char* path) {
  const auto pages = uzushio_bench::LoadPages(path);
  if (!pages.ok()) {
    std::fprintf(stderr, "bench_trees: %s\n", pages.status().ToString().c_str());
    return 1;
  }
  for (const std::string& page : *pages) uzushio_bench::WriteFramed(page);
  return 0;
}

int Mutants(int count, unsigned seed) {
  std::string page;
  while (uzushio_bench::ReadFramed(&page)) {
    const std::vector<std::string> tokens = uzushio_fuzz::HtmlTokens(page);
    for (int i = 0; i < count; ++i) {
      uzushio_fuzz::Chance chance(seed++);
      std::vector<std::string> changed = tokens;
      uzushio_fuzz::MutateParts(&changed, uzushio_fuzz::HtmlPieces(), &chance);
      const std::string mutant = uzushio_fuzz::Joined(changed);
      if (uzushio::IsValidUtf8(mutant)) uzushio_bench::WriteFramed(mutant);
    }
  }
  return 0;
}

std::string NameOf(lxb_dom_node_t* node) {
  size_t length = 0;
  const lxb_char_t* const name = lxb_dom_element_qualified_name(lxb_dom_interface_element(node), &length);
  const char* const space = node->ns == LXB_NS_SVG ? "svg:" : node->ns == LXB_NS_MATH ? "math:" : "";
  return space + std::string(reinterpret_cast<const char*>(name), length);
}

void AppendText(std::string_view text, std::string* lines) {
  for (const char c : text) {
    if (c == '\\') {
      *lines += "\\\\";
    } else if (c == '\n') {
      *lines += "\\n";
    } else {
      *lines += c;
    }
  }
}

// Pages nest deeply: what is to come is on the heap.
std::string LinesOf(lxb_html_document_t* document) {
  std::string lines;
  std::vector<std::pair<lxb_dom_node_t*, std::string>> waiting = {{lxb_dom_interface_node(document), ""}};
  while (!waiting.empty()) {
    auto [node, path] = std::move(waiting.back());
    waiting.pop_back();
    if (node->type == LXB_DOM_NODE_TYPE_TEXT) {
      const auto& data = lxb_dom_interface_character_data(node)->data;
      lines += path + '\t';
      AppendText({reinterpret_cast<const char*>(data.data), data.length}, &lines);
      lines += '\n';
      continue;
    }
    if (node->type == LXB_DOM_NODE_TYPE_ELEMENT) {
      path += '>' + NameOf(node);
      if (node->local_name == LXB_TAG_TEMPLATE && node->ns == LXB_NS_HTML) {
        waiting.emplace_back(lxb_dom_interface_node(lxb_html_interface_template(node)->content), path);
      }
    }
    for (lxb_dom_node_t* child = node->last_child; child != nullptr; child = child->prev) {
      waiting.emplace_back(child, path);
    }
  }
  return lines;
}

int Lines() {
  uzushio::HtmlParser parser({});
  std::string page;
  while (uzushio_bench::ReadFramed(&page)) {
    uzushio_bench::WriteFramed(parser.Parse(page) == uzushio::ParseOutcome::kOk ? LinesOf(parser.document()) : "");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "pages" && argc == 3) return Pages(argv[2]);
  if (mode == "mutants" && argc == 4) return Mutants(std::atoi(argv[2]), static_cast<unsigned>(std::atoi(argv[3])));
  if (mode == "lines" && argc == 2) return Lines();
  std::fprintf(stderr, "usage: bench_trees pages FILE.warc.gz | mutants N SEED | lines\n");
  return 2;
}
