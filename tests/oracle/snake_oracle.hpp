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
      const bool dropped = drop_spikes(0) + drop_spikes(1) != 0;
      const bool added = insert(longest_edge);
      if (step == 1 && moves == 0 && !dropped && !added) { return; }
    }
  }

  static long long cross(const node& a, const node& b, const node& c) {
    return static_cast<long long>(b.x - a.x) * (c.y - a.y) - static_cast<long long>(b.y - a.y) * (c.x - a.x);
  }

  /// Whether two segments have a point in common.
  static bool meet(const node& a, const node& b, const node& c, const node& d) {
    const auto on = [](const node& u, const node& v, const node& w) {
      return cross(u, v, w) == 0 && std::min(u.x, v.x) <= w.x && w.x <= std::max(u.x, v.x) &&
             std::min(u.y, v.y) <= w.y && w.y <= std::max(u.y, v.y);
    };
    const auto opposite = [](long long u, long long v) { return (u < 0 && v > 0) || (u > 0 && v < 0); };
    return on(a, b, c) || on(a, b, d) || on(c, d, a) || on(c, d, b) ||
           (opposite(cross(a, b, c), cross(a, b, d)) && opposite(cross(c, d, a), cross(c, d, b)));
  }

  /// Whether an edge at a moved node meets another edge of the polygon that it has no node in common with.
  static bool touches_itself(const std::vector<node>& nodes, const std::vector<bool>& moved, bool both_moved) {
    const std::size_t n = nodes.size();
    const auto is_new = [&](std::size_t k) { return moved[k] || moved[(k + 1) % n]; };
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (!is_new(i) || (both_moved && !is_new(j))) { continue; }
        if (i == j || (i + 1) % n == j || (j + 1) % n == i) { continue; }
        if (meet(nodes[i], nodes[(i + 1) % n], nodes[j], nodes[(j + 1) % n])) { return true; }
      }
    }
    return false;
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
          auto trial = nodes_;
          trial[i] = to;
          const long double value = criterion(p_, trial, cost_);
          if (value < best.criterion) { best = {i, to, value}; }
        }
      }
      if (!(best.criterion < now - threshold_)) { continue; }
      auto trial = nodes_;
      trial[i] = best.to;
      std::vector<bool> moved(nodes_.size());
      moved[i] = true;
      if (!touches_itself(trial, moved, false)) { proposals.push_back(best); }
    }
    for (const auto& q : proposals) { look_[q.index] = true; }
    // Of two proposals that are neighbours, or whose edges would meet, the worse is dropped.
    const auto all = proposals;
    std::erase_if(proposals, [&](const proposal& q) {
      return std::any_of(all.begin(), all.end(), [&](const proposal& other) {
        const bool better = other.criterion < q.criterion || (other.criterion == q.criterion && other.index < q.index);
        if (!better) { return false; }
        const std::size_t n = nodes_.size();
        if ((q.index + 1) % n == other.index || (other.index + 1) % n == q.index) { return true; }
        auto trial = nodes_;
        trial[q.index] = q.to;
        trial[other.index] = other.to;
        std::vector<bool> moved(n);
        moved[q.index] = moved[other.index] = true;
        return touches_itself(trial, moved, true);
      });
    });
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

  /// The polygon without some of its nodes; whether edges that are new in it meet others, or each other, through
  /// `touch`.
  std::vector<node> without(const std::vector<std::size_t>& gone, bool& touch) const {
    std::vector<node> rest;
    std::vector<bool> edge_is_new;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (std::count(gone.begin(), gone.end(), i) != 0) { continue; }
      rest.push_back(nodes_[i]);
      edge_is_new.push_back(std::count(gone.begin(), gone.end(), (i + 1) % nodes_.size()) != 0);
    }
    touch = false;
    const std::size_t n = rest.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (!edge_is_new[i] || (gone.size() > 1 && !edge_is_new[j])) { continue; }
        if (i == j || (i + 1) % n == j || (j + 1) % n == i) { continue; }
        touch = touch || meet(rest[i], rest[(i + 1) % n], rest[j], rest[(j + 1) % n]);
      }
    }
    return rest;
  }

  int drop_spikes(std::size_t parity) {
    const std::size_t n = nodes_.size();
    const long double now = criterion(p_, nodes_, cost_);
    std::vector<proposal> proposals;
    for (std::size_t i = parity; i < n; i += 2) {
      const node u = nodes_[(i + n - 1) % n];
      const node v = nodes_[(i + 1) % n];
      const node p = nodes_[i];
      const double angle = std::abs(
          std::remainder(std::atan2(u.y - p.y, u.x - p.x) - std::atan2(v.y - p.y, v.x - p.x), 6.283185307179586));
      if (!(std::tan(angle) < 0.5 - 1e-12 && angle < 1)) { continue; }
      bool touch = false;
      const long double value = criterion(p_, without({i}, touch), cost_);
      if (value - now < threshold_ && !touch) { proposals.push_back({i, {}, value}); }
    }
    const auto all = proposals;
    std::erase_if(proposals, [&](const proposal& q) {
      return std::any_of(all.begin(), all.end(), [&](const proposal& other) {
        if (!(other.criterion < q.criterion || (other.criterion == q.criterion && other.index < q.index))) {
          return false;
        }
        if ((q.index + 1) % n == other.index || (other.index + 1) % n == q.index) { return true; }
        bool touch = false;
        without({q.index, other.index}, touch);
        return touch;
      });
    });
    if (proposals.empty() || n <= 3) { return 0; }
    std::vector<std::size_t> gone;
    for (const auto& q : proposals) { gone.push_back(q.index); }
    bool touch = false;
    const auto rest = without(gone, touch);
    if (rest.size() < 3 || !(criterion(p_, rest, cost_) - now < threshold_ * static_cast<double>(gone.size()))) {
      const auto best = std::min_element(proposals.begin(), proposals.end(),
                                         [](const auto& a, const auto& b) { return a.criterion < b.criterion; });
      gone = {best->index};
    }
    nodes_ = without(gone, touch);
    return static_cast<int>(gone.size());
  }

  bool insert(int longest_edge) {
    std::vector<node> result;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const node a = nodes_[i];
      const node b = nodes_[(i + 1) % nodes_.size()];
      result.push_back(a);
      if ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) <= longest_edge * longest_edge) { continue; }
      const node middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
      auto trial = nodes_;
      trial.insert(trial.begin() + static_cast<std::ptrdiff_t>(i) + 1, middle);
      std::vector<bool> is_new(trial.size());
      is_new[i + 1] = true;
      if (!touches_itself(trial, is_new, false)) { result.push_back(middle); }
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
