// The C side of native/src/robots.rs: the groups of robots.txt files.
#pragma once

#include <cstddef>
#include <cstdint>

struct UzRobots;

extern "C" {
UzRobots* uz_robots_read(const uint8_t* file, size_t length);
const uint8_t* uz_robots_text(const UzRobots* robots, size_t* length);
void uz_robots_free(UzRobots* robots);
}
