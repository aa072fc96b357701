// What nobody can choose keys against.
#pragma once

#include <cstdint>

namespace uzushio {

// A random odd number, of the system's. Who multiplies hashes by it, and takes the product's highest bits for the place
// in a table, has no keys that were chosen to collide. What is in the table does not depend on it.
uint64_t RandomOdd();

}  // namespace uzushio
