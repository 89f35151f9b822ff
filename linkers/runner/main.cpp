// main.cpp: thunkvm-run, a graph file run with the arrays of a file, without Python.
#include "linkers/function.h"
#include "linkers/runner/npz.h"
#include "linkers/runner/signature.h"
#include "ops/files/graph_file.h"
#include "thunks/error.h"

#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace thunkvm;

constexpr int kExitFailed = 1, kExitMisused = 2;
constexpr const char* kUsage =
    "usage: thunkvm-run [--mode MODE] GRAPH.tv INPUT.npz OUTPUT.npz\n"
    "\n"
    "Computes the outputs of a graph that tv.save wrote, from the arrays of INPUT.npz by the "
    "names\n"
    "of its inputs, and writes them into OUTPUT.npz by theirs. Those without a name are arr_0,\n"
    "arr_1, ... in their order. MODE is a mode that needs no Python: cvm (as it is), c, FAST_RUN "
    "...\n";

struct Request {
  std::string mode = "cvm";
  std::vector<std::string> paths;  ///< of the graph, the inputs, the outputs
  bool asks_for_help = false;
};

// Throws Error for what is no way to ask.
Request request_of(const std::vector<std::string>& words) {
  Request request;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--help" || word == "-h") {
      request.asks_for_help = true;
    } else if (word == "--mode" && i + 1 < words.size()) {
      request.mode = words[++i];
    } else if (word.starts_with("--mode=")) {
      request.mode = word.substr(std::string_view("--mode=").size());
    } else if (word.starts_with("-")) {
      throw Error(ErrorKind::Value, "there is no option " + words[i]);
    } else {
      request.paths.push_back(words[i]);
    }
  }
  if (!request.asks_for_help && request.paths.size() != 3)
    throw Error(ErrorKind::Value,
                "three files are wanted, not " + std::to_string(request.paths.size()));
  return request;
}

void run(const Request& request) {
  const FileGraph graph = load_graph(request.paths[0]);
  const Mode mode = Mode::named(request.mode);
  std::vector<Cell> arguments = arguments_of(graph, read_npz(request.paths[1]));
  Function function({.inputs = graph.inputs, .outputs = graph.outputs}, mode,
                    {.name = request.paths[0]});
  write_npz(request.paths[2], results_of(graph, function(std::move(arguments))));
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  try {
    request = request_of({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "thunkvm-run: " << error.what() << "\n" << kUsage;
    return kExitMisused;
  }
  if (request.asks_for_help) {
    std::cout << kUsage;
    return 0;
  }
  try {
    run(request);
  } catch (const std::exception& error) {
    std::cerr << "thunkvm-run: " << error.what() << "\n";
    return kExitFailed;
  }
  return 0;
}
