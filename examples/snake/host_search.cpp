#include "noise_choice.hpp"
#include "search.hpp"

#include "gpuimg/core/execution.hpp"
#include "gpuimg/segment/rectangle_search.hpp"
#include "gpuimg/segment/snake.hpp"

namespace gpuimg::examples {

snake_findings search_on_host(const snake_picture& picture, const snake_search& search) {
  return with_samples(picture, search, [&]<class Model>(const Model& model, const auto& view) {
    const host execution{search.threads};
    snake_findings found{search.starts, {}};
    if (search.automatic > 0) {
      for (const auto& r :
           find_rectangles<Model>(execution, view, {.count = search.automatic}, picture.mask(), model)) {
        found.starts.push_back(to_start(r, picture, search));
      }
    }
    found.results = snakes<Model>(execution, view, found.starts, search.parameters, picture.mask(), model);
    return found;
  });
}

}  // namespace gpuimg::examples
