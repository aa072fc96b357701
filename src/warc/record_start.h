// Where records of web archives begin, and what shows that one ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace uzushio {

enum class ArchiveFormat : uint8_t { kWarc, kArc };

// As many bytes behind a record's content show whether it ends there.
inline constexpr size_t kBehindRecord = size_t{4} << 10;

// What a search for a version line has to see again: a line end and the start of the line.
inline constexpr size_t kWarcLookBehind = 9;

// The number of line ends that `text` begins with.
size_t LineEnds(std::string_view text);

// Whether `text` may begin with a record: a version line (WARC/1.0), or a line of ARC (warc/arc.h).
bool BeginsRecord(ArchiveFormat format, std::string_view text);
// The same of text that may end before that shows.
bool MayBeginRecord(ArchiveFormat format, std::string_view text);
// The format of the record that `text` begins with, or nothing.
std::optional<ArchiveFormat> FormatOfRecord(std::string_view text);
// Whether there is one of either format behind line ends.
bool BeginsWithRecord(std::string_view text);

// The position of the first line in `text` at or behind `from`, which is above 0, with which a record may begin; npos
// where there is none.
size_t FindRecord(ArchiveFormat format, std::string_view text, size_t from);
// How many bytes at the end of `text`, in which FindRecord has found none, are to be seen again with what follows them.
size_t BytesToSeeAgain(ArchiveFormat format, std::string_view text);

// The line ends between a record's content and what `behind` it, of kBehindRecord bytes at most, shows that the
// content's length is true: another record, or, where `behind` is all there is, the end of the file or of a sound
// member. Nothing where it is not.
std::optional<size_t> LineEndsOfRecord(ArchiveFormat format, std::string_view behind, bool is_sound_end);

}  // namespace uzushio
