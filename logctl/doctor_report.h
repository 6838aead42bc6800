// What `doctor` prints.
#pragma once

#include "logctl/command.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

// What could not be examined or written, to standard error.
void PrintDoctorProblems(Context& context, const DoctorReport& report);
void PrintDoctorReport(Context& context, const DoctorReport& report, const DoctorOptions& options);

}  // namespace turnlog
