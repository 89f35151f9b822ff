#include "ops/graph/drawing.h"

#include "thunks/error.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>

#include <cstddef>
#include <ostream>
#include <sstream>
#include <string_view>

namespace thunkvm {
namespace {

// Arrows have their number, and keep their order.
using Arrows = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS,
                                     boost::no_property, std::uint32_t>;

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + '"';
}

void write(std::ostream& out, const Drawing::Attributes& attributes) {
  if (attributes.empty()) return;
  const char* between = " [";
  for (const auto& [name, value] : attributes) {
    out << between << name << '=' << in_quotes(value);
    between = " ";
  }
  out << ']';
}

void require(bool exists, const char* what, std::uint32_t index) {
  if (!exists)
    throw Error(ErrorKind::Index,
                "the drawing has no " + (what + (" " + std::to_string(index))) + " there");
}

// What is in each frame, the last entry being what is in none.
struct Contents {
  std::vector<std::uint32_t> frames, boxes;
};

std::vector<Contents> contents_of(const Drawing& drawing) {
  const auto n_frames = static_cast<std::uint32_t>(drawing.frames.size());
  std::vector<Contents> contents(n_frames + 1);
  const auto of = [&](std::uint32_t frame, std::uint32_t n_before) -> Contents& {
    require(frame == Drawing::kNoFrame || frame < n_before, "frame", frame);
    return contents[frame == Drawing::kNoFrame ? n_frames : frame];
  };
  for (std::uint32_t f = 0; f < n_frames; ++f) of(drawing.frames[f].around, f).frames.push_back(f);
  for (std::uint32_t b = 0; b < drawing.boxes.size(); ++b)
    of(drawing.boxes[b].frame, n_frames).boxes.push_back(b);
  return contents;
}

// Frames nest as deep as an else-if chain is long.
void write_frames(std::ostream& out, const Drawing& drawing) {
  const std::vector<Contents> contents = contents_of(drawing);
  struct Open {
    const Contents& contents;
    std::size_t next = 0;
  };
  std::vector<Open> open = {{contents.back()}};
  while (true) {
    Open& inner = open.back();
    if (inner.next == inner.contents.frames.size()) {
      open.pop_back();
      if (open.empty()) return;
      out << "}\n";
      continue;
    }
    const std::uint32_t frame = inner.contents.frames[inner.next++];
    out << "subgraph cluster_" << frame << " {\n";
    for (const auto& [name, value] : drawing.frames[frame].attributes)
      out << name << '=' << in_quotes(value) << ";\n";
    for (const std::uint32_t box : contents[frame].boxes) out << box << ";\n";
    open.push_back({contents[frame]});
  }
}

}  // namespace

std::string to_dot(const Drawing& drawing) {
  Arrows arrows(drawing.boxes.size());
  for (std::uint32_t i = 0; i < drawing.arrows.size(); ++i) {
    for (const std::uint32_t box : {drawing.arrows[i].from, drawing.arrows[i].to})
      require(box < drawing.boxes.size(), "box", box);
    add_edge(drawing.arrows[i].from, drawing.arrows[i].to, i, arrows);
  }
  std::ostringstream text;
  boost::write_graphviz(
      text, arrows,
      [&](std::ostream& out, std::uint32_t box) { write(out, drawing.boxes[box].attributes); },
      [&](std::ostream& out, const Arrows::edge_descriptor& arrow) {
        write(out, drawing.arrows[arrows[arrow]].attributes);
      },
      [&](std::ostream& out) {
        if (!drawing.every_box.empty()) {
          out << "node";
          write(out, drawing.every_box);
          out << ";\n";
        }
        write_frames(out, drawing);
      });
  return text.str();
}

}  // namespace thunkvm
