/// @file
/// Region sums, criteria and the snake itself, written from their definitions: a polygon is filled pixel by pixel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace oracle {

struct node {
  int x;
  int y;
  bool operator==(const node&) const = default;
};

/// How often the closed polygon winds around the pixel: each edge that spans the pixel's row (upper end in, lower end
/// out) and meets it to the right of the pixel counts, +1 when it goes down and -1 when it goes up.
inline int winding(const std::vector<node>& nodes, int x, int y) {
  int result = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    node a = nodes[i];
    node b = nodes[(i + 1) % nodes.size()];
    int sign = 1;
    if (a.y > b.y) {
      std::swap(a, b);
      sign = -1;
    }
    if (y < a.y || y >= b.y) { continue; }
    // Crossing a.x + (y - a.y)(b.x - a.x)/(b.y - a.y) > x, without a division.
    if (static_cast<long long>(y - a.y) * (b.x - a.x) > static_cast<long long>(x - a.x) * (b.y - a.y)) {
      result += sign;
    }
  }
  return result;
}

struct sums {
  long long n = 0;
  long long s = 0;
  long long q = 0;
  bool operator==(const sums&) const = default;
};

/// A picture of integers; pixels without a value do not count.
struct picture {
  int width = 0;
  int height = 0;
  std::vector<long long> value;
  std::vector<bool> counts;

  sums pixel(int x, int y) const {
    const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
    return counts[i] ? sums{1, value[i], value[i] * value[i]} : sums{};
  }
};

/// Sums over the polygon, each pixel as often as it is wound around.
inline sums polygon_sums(const picture& p, const std::vector<node>& nodes, int stride = 1, int phase = 0) {
  sums total;
  for (int y = 0; y < p.height; ++y) {
    if (y % stride != phase % stride) { continue; }
    for (int x = 0; x < p.width; ++x) {
      const int w = winding(nodes, x, y);
      const sums one = p.pixel(x, y);
      total.n += w * one.n;
      total.s += w * one.s;
      total.q += w * one.q;
    }
  }
  return total;
}

/// Negative log-likelihood of a region, up to constants of the picture.
using region_cost = std::function<long double(const sums&)>;

inline long double gaussian_cost(const sums& r) {
  const auto n = static_cast<long double>(r.n);
  const long double mean = static_cast<long double>(r.s) / n;
  const long double variance = static_cast<long double>(r.q) / n - mean * mean;
  return n / 2 * std::log(std::max(variance, 1.0L / 12));
}

inline long double poisson_cost(const sums& r) {
  const auto s = static_cast<long double>(r.s);
  return r.s == 0 ? 0 : -s * std::log(s / static_cast<long double>(r.n));
}

inline long double exponential_cost(const sums& r) {
  const auto n = static_cast<long double>(r.n);
  return n * std::log(std::max(static_cast<long double>(r.s) / n, 1.0L / 12));
}

inline long double rayleigh_cost(const sums& r) {
  const auto n = static_cast<long double>(r.n);
  return n * std::log(std::max(static_cast<long double>(r.q) / n, 1.0L / 12));
}

inline long double bernoulli_cost(const sums& r) {
  const auto n = static_cast<long double>(r.n);
  const auto s = static_cast<long double>(r.s);
  const auto term = [&](long double v) { return v == 0 ? 0 : v * std::log(v / n); };
  return -term(s) - term(n - s);
}

/// Criterion of a target, by filling it; infinite when target or rest cannot be.
inline long double criterion(const picture& p, const std::vector<node>& nodes, const region_cost& cost) {
  const sums all = polygon_sums(p, {{0, 0}, {p.width, 0}, {p.width, p.height}, {0, p.height}});
  const sums in = polygon_sums(p, nodes);
  const sums out{all.n - in.n, all.s - in.s, all.q - in.q};
  if (in.n <= 0 || out.n < 0) { return std::numeric_limits<long double>::infinity(); }
  return cost(in) + (out.n == 0 ? 0 : cost(out));
}

/// The parity rule: even nodes together, then odd ones; if together they do not lower the criterion, the best alone.
/// Each iteration looks at all nodes at first, then at those that have moved or whose neighbour has.
class snake {
 public:
  snake(const picture& p, const region_cost& cost, double threshold) : p_(p), cost_(cost), threshold_(threshold) {}

  std::vector<node> run(std::vector<node> start, int step, int longest_edge) {
    nodes_ = std::move(start);
    descend(step, longest_edge);
    descend(std::max(1, longest_edge / 8), longest_edge);
    return nodes_;
  }

 private:
  void descend(int step, int longest_edge) {
    for (;; step = std::max(1, step / 2)) {
      const int moves = iterate(step);
      const bool added = insert(longest_edge);
      if (step == 1 && moves == 0 && !added) { return; }
    }
  }

  static long long cross(const node& a, const node& b, const node& c) {
    return static_cast<long long>(b.x - a.x) * (c.y - a.y) - static_cast<long long>(b.y - a.y) * (c.x - a.x);
  }

  /// Whether two segments have one inner point of both in common.
  static bool cross(const node& a, const node& b, const node& c, const node& d) {
    const auto opposite = [](long long u, long long v) { return (u < 0 && v > 0) || (u > 0 && v < 0); };
    return opposite(cross(a, b, c), cross(a, b, d)) && opposite(cross(c, d, a), cross(c, d, b));
  }

  /// Whether node i at `to` makes an edge that crosses the next but one.
  bool loops(std::size_t i, const node& to) const {
    const std::size_t n = nodes_.size();
    const auto at = [&](std::size_t k) { return nodes_[k % n]; };
    return cross(at(i + n - 1), to, at(i + 1), at(i + 2)) || cross(to, at(i + 1), at(i + n - 2), at(i + n - 1));
  }

  struct proposal {
    std::size_t index;
    node to;
    long double criterion;
  };

  int iterate(int step) {
    look_.assign(nodes_.size(), true);
    int all = 0;
    for (int made = 1; made != 0; all += made) { made = parity_step(0, step) + parity_step(1, step); }
    return all;
  }

  int parity_step(std::size_t parity, int step) {
    const long double now = criterion(p_, nodes_, cost_);
    std::vector<proposal> proposals;
    for (std::size_t i = parity; i < nodes_.size(); i += 2) {
      if (!look_[i]) { continue; }
      look_[i] = false;
      proposal best{i, {}, std::numeric_limits<long double>::infinity()};
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const node to{nodes_[i].x + dx * step, nodes_[i].y + dy * step};
          if ((dx == 0 && dy == 0) || to.x < 0 || to.y < 0 || to.x > p_.width || to.y > p_.height) { continue; }
          if (loops(i, to)) { continue; }
          auto trial = nodes_;
          trial[i] = to;
          const long double value = criterion(p_, trial, cost_);
          if (value < best.criterion) { best = {i, to, value}; }
        }
      }
      if (best.criterion < now - threshold_) { proposals.push_back(best); }
    }
    for (const auto& q : proposals) { look_[q.index] = true; }
    // With an odd number of nodes the last and the first are neighbours.
    if (proposals.size() > 1 && proposals.front().index == 0 && proposals.back().index == nodes_.size() - 1 &&
        nodes_.size() % 2 == 1) {
      if (proposals.front().criterion <= proposals.back().criterion) {
        proposals.pop_back();
      } else {
        proposals.erase(proposals.begin());
      }
    }
    if (proposals.empty()) { return 0; }
    auto together = nodes_;
    for (const auto& q : proposals) { together[q.index] = q.to; }
    if (!(criterion(p_, together, cost_) < now - threshold_)) {
      const auto best = std::min_element(proposals.begin(), proposals.end(),
                                         [](const auto& a, const auto& b) { return a.criterion < b.criterion; });
      proposals = {*best};
    }
    for (const auto& q : proposals) {
      nodes_[q.index] = q.to;
      look_[q.index] = look_[(q.index + 1) % nodes_.size()] = look_[(q.index + nodes_.size() - 1) % nodes_.size()] =
          true;
    }
    return static_cast<int>(proposals.size());
  }

  bool insert(int longest_edge) {
    std::vector<node> result;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const node a = nodes_[i];
      const node b = nodes_[(i + 1) % nodes_.size()];
      result.push_back(a);
      if ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) > longest_edge * longest_edge) {
        result.push_back({(a.x + b.x) / 2, (a.y + b.y) / 2});
      }
    }
    const bool added = result.size() != nodes_.size();
    nodes_ = std::move(result);
    return added;
  }

  const picture& p_;
  region_cost cost_;
  double threshold_;
  std::vector<node> nodes_;
  std::vector<bool> look_;
};

}  // namespace oracle
