#include "storage/random_name.h"

#include <fmt/format.h>

#include <random>

namespace uzushio {

std::string RandomName() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace uzushio
