// What becomes of memory that this program frees.
#pragma once

namespace turnlog {

// From now on it is overwritten, so that nothing of what was read is left of it: for commands whose input has secrets
// that are not to remain, and goes through parsers that know nothing of them. Memory that C libraries free is not.
void WipeFreedMemory();

// From now on some tens of megabytes of it stay with the process. Commands that use and free megabytes for each source
// would otherwise return them to the system each time, which takes a fifth of the whole time.
void KeepFreedMemory();

}  // namespace turnlog
