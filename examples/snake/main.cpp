// gpuimg-snake: draws the most likely contour around a target in a noisy picture.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "input.hpp"
#include "output.hpp"
#include "search.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/segment/region_measures.hpp"

namespace {

using namespace gpuimg::examples;

/// Paths of files to read and write; empty: none.
struct file_names {
  std::string input;
  std::string polygon;
  std::string boxes;
  std::string mask_in;
  std::string truth;
  std::string json;
  std::string svg;
  std::string mask;
  std::string overlay;
  std::string trace;
};

struct command_line {
  file_names files;
  snake_search search;
  picture_choice choice;
  std::vector<std::string> rectangles;
  std::string window;
  double no_data = 0;
  std::string labels;
  std::string device = "auto";
  int grow = 3;
  int zoom = 1;
};

void add_options(CLI::App& app, command_line& c, CLI::Option*& no_data) {
  auto& f = c.files;
  auto& p = c.search.parameters;
  app.add_option("input", f.input, "picture to search: PNG, PNM, PAM or TIFF; - for standard input")->required();
  app.add_option("--rect", c.rectangles, "start from a rectangle x,y,width,height; may be repeated");
  app.add_option("--auto", c.search.automatic, "start from the N most likely rectangles (1 when no start is given)");
  app.add_option("--polygon", f.polygon, "start from a polygon: a file of lines \"x y\"");
  app.add_option("--window", c.window, "the snake's world x,y,width,height; the whole picture by default");
  app.add_option("--boxes", f.boxes, "start from the box around each value of a label picture, grown by --grow");
  app.add_option("--grow", c.grow, "pixels on each side of such a box")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--margin", c.search.margin,
                 "world of an automatic start or a box: so many pixels more on each side; -1: as --window")
      ->check(CLI::Range(-1, 1000000))
      ->capture_default_str();
  app.add_option("--noise", c.search.noise,
                 "gaussian, poisson, gamma:<order>, exponential, rayleigh, bernoulli, log-normal")
      ->capture_default_str();
  app.add_option("--component", c.choice.component, "component to search; luma by default");
  no_data = app.add_option("--no-data", c.no_data, "samples of this value do not count");
  app.add_option("--valid", f.mask_in, "a mask: pixels that are 0 in it do not count");
  app.add_option("--step", p.first_step, "first step of moves; 0: by size of the start")->capture_default_str();
  app.add_option("--edge", p.longest_edge, "longest edge; 0: by size of the start")->capture_default_str();
  app.add_option("--threshold", p.threshold, "least gain of a move in nats")->capture_default_str();
  app.add_option("--max-nodes", p.max_nodes, "most nodes of a contour")->capture_default_str();
  app.add_flag("--prune", p.prune, "drop nodes that are worth less than their description");
  app.add_flag("!--all-rows", p.coarse_rows, "sum all rows while steps are long, too");
  app.add_option("--device", c.device, "auto (CUDA where there is a device), host, cuda or cuda:<number>")
      ->capture_default_str();
  app.add_option("--threads", c.search.threads, "0: one a core")->capture_default_str();
  app.add_option("--truth", f.truth, "a mask to compare with: prints Dice and Hausdorff");
  app.add_option("--label", c.labels, "value of the target in the truth, or a range a..b; any but 0 by default");
  app.add_option("--json", f.json, "contours and statistics; - for standard output");
  app.add_option("--svg", f.svg, "contours as paths");
  app.add_option("--mask", f.mask, "255 inside of the contours");
  app.add_option("--overlay", f.overlay, "the picture with contours (red), starts (blue), edge of the truth (green)");
  app.add_option("--zoom", c.zoom, "scale of the overlay")->check(CLI::Range(1, 16))->capture_default_str();
  app.add_option("--trace", f.trace, "a line for each iteration; - for standard output");
}

void set_starts(command_line& c, const snake_picture& picture) {
  auto& s = c.search;
  if (!c.window.empty()) { s.window = parse_rectangle(c.window); }
  for (const auto& text : c.rectangles) { s.starts.push_back({gpuimg::to_polygon(parse_rectangle(text)), s.window}); }
  if (!c.files.polygon.empty()) { s.starts.push_back({read_polygon(c.files.polygon), s.window}); }
  if (!c.files.boxes.empty()) {
    for (const auto& box : read_label_boxes(c.files.boxes, picture.width, picture.height)) {
      const auto start = grown(box, c.grow, picture.width, picture.height);
      const auto world = s.margin < 0 ? s.window : grown(start, s.margin, picture.width, picture.height);
      s.starts.push_back({gpuimg::to_polygon(start), world});
    }
  }
  if (s.starts.empty() && s.automatic == 0) { s.automatic = 1; }
}

/// The CUDA device to work on; -1: the host.
int chosen_device(const std::string& device) {
  if (device == "host") { return -1; }
  if (device == "auto") { return cuda_device_count() > 0 ? 0 : -1; }
  if (device == "cuda") { return 0; }
  int number = -1;
  if (device.starts_with("cuda:")) {
    const char* const end = device.data() + device.size();
    const auto read = std::from_chars(device.data() + 5, end, number);
    if (read.ec != std::errc{} || read.ptr != end) { number = -1; }
  }
  if (number < 0) {
    throw gpuimg::error(gpuimg::errc::invalid_argument,
                        "--device: " + device + " is not auto, host, cuda or cuda:<number>");
  }
  return number;
}

void report(const snake_findings& found, const std::optional<truth_scores>& scores) {
  for (const auto& r : found.results) {
    std::fprintf(stderr,
                 "%zu nodes, length %.1f, %lld pixels of mean %.6g and variance %.6g (outside %.6g, %.6g), %s%s\n",
                 r.nodes.size(), gpuimg::contour_length(r.nodes), static_cast<long long>(r.target.pixels),
                 r.target.mean, r.target.variance, r.background.mean, r.background.variance,
                 std::string(name(r.reason)).c_str(), r.crossings != 0 ? ", crosses itself" : "");
  }
  if (found.results.empty()) { std::fprintf(stderr, "no target found\n"); }
  if (scores) { std::fprintf(stderr, "Dice %.4f, Hausdorff %.2f pixels\n", scores->dice, scores->hausdorff); }
}

void run(command_line& c) {
  const auto& f = c.files;
  auto picture = read_snake_picture(f.input, c.choice);
  if (!f.mask_in.empty()) {
    const auto extra = read_mask(f.mask_in, picture.width, picture.height);
    if (picture.valid.empty()) { picture.valid.assign(extra.size(), 255); }
    for (std::size_t i = 0; i < extra.size(); ++i) {
      picture.valid[i] = extra[i] != 0 ? picture.valid[i] : std::uint8_t{0};
    }
  }
  set_starts(c, picture);
  const int device = chosen_device(c.device);
  const auto found = device < 0 ? search_on_host(picture, c.search) : search_on_cuda(picture, c.search, device);
  const auto mask = make_mask(picture, found);
  std::vector<std::uint8_t> truth;
  std::optional<truth_scores> scores;
  if (!f.truth.empty()) {
    truth =
        read_mask(f.truth, picture.width, picture.height, c.labels.empty() ? label_range{} : parse_labels(c.labels));
    const gpuimg::image_view<const std::uint8_t> ours(mask.data(), picture.width, picture.height);
    const gpuimg::image_view<const std::uint8_t> theirs(truth.data(), picture.width, picture.height);
    scores = {gpuimg::compare_masks(ours, theirs).dice(), gpuimg::hausdorff_distance(ours, theirs)};
  }
  report(found, scores);
  if (!f.json.empty()) { write_json(f.json, picture, c.search, found, scores); }
  if (!f.svg.empty()) { write_svg(f.svg, picture, found); }
  if (!f.mask.empty()) { write_mask(f.mask, picture, mask); }
  if (!f.overlay.empty()) { write_overlay(f.overlay, picture, found, truth, c.zoom); }
  if (!f.trace.empty()) { write_trace(f.trace, found); }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Draws the most likely contour around a target in a noisy picture: a region snake."};
  command_line c;
  CLI::Option* no_data = nullptr;
  add_options(app, c, no_data);
  try {
    app.parse(argc, argv);
    if (no_data->count() != 0) { c.choice.no_data = c.no_data; }
    run(c);
  } catch (const CLI::Error& problem) { return app.exit(problem); } catch (const std::exception& problem) {
    std::fprintf(stderr, "gpuimg-snake: %s\n", problem.what());
    return 1;
  }
  return 0;
}
