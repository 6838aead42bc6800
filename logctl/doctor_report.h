// What `doctor` prints.
#pragma once

#include "logctl/command.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

void PrintDoctorReport(Context& context, const DoctorReport& report, const DoctorOptions& options);

}  // namespace turnlog
