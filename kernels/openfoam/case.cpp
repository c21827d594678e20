#include "openfoam/case.hpp"

#include <iomanip>
#include <sstream>
#include <stdexcept>

namespace assay::openfoam {
namespace {

std::string dictionary(const std::string& kind, const std::string& object, const std::string& text) {
  return "FoamFile\n{\n    version 2.0;\n    format ascii;\n    class " + kind + ";\n    object " + object + ";\n}\n" + text;
}

// A lid that moves at 1 m/s over a cube of 0.1 m, as in the tutorial, but in three dimensions.
std::string block(std::int64_t cells) {
  const std::string n = std::to_string(cells);
  return R"(scale 0.1;
vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 1) (1 0 1) (1 1 1) (0 1 1));
blocks (hex (0 1 2 3 4 5 6 7) ()" + n + " " + n + " " + n + R"() simpleGrading (1 1 1));
edges ();
boundary
(
    movingWall { type wall; faces ((3 7 6 2)); }
    fixedWalls { type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0) (0 3 2 1) (4 5 6 7)); }
);
)";
}

// No fields are written: the end of the last step is never a time to write.
std::string control(const std::string& solver, double step, std::int64_t iterations) {
  std::ostringstream times;
  times << std::setprecision(12) << "endTime " << step * static_cast<double>(iterations) << ";\ndeltaT " << step;
  return "application " + solver + ";\nstartFrom startTime;\nstartTime 0;\nstopAt endTime;\n" + times.str() + ";\nwriteControl timeStep;\nwriteInterval 1000000000;\nwriteFormat binary;\ntimeFormat general;\ntimePrecision 12;\n"
         "runTimeModifiable false;\n";
}

std::string decomposition(std::int64_t ranks) {
  const auto n = divide(ranks);
  return "numberOfSubdomains " + std::to_string(ranks) + ";\nmethod simple;\nsimpleCoeffs { n (" + std::to_string(n[0]) + " " +
         std::to_string(n[1]) + " " + std::to_string(n[2]) + "); delta 0.001; }\n";
}

constexpr const char* kSchemes = R"(ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes { default none; div(phi,U) Gauss linear; }
laplacianSchemes { default Gauss linear orthogonal; }
interpolationSchemes { default linear; }
snGradSchemes { default orthogonal; }
)";

constexpr const char* kSolution = R"(solvers
{
    p { solver GAMG; smoother GaussSeidel; tolerance 1e-06; relTol 0.01; }
    pFinal { $p; relTol 0; }
    U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-05; relTol 0; }
}
PISO { nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }
)";

constexpr const char* kPressure = R"(dimensions [0 2 -2 0 0 0 0];
internalField uniform 0;
boundaryField { ".*Wall.*" { type zeroGradient; } }
)";

constexpr const char* kVelocity = R"(dimensions [0 1 -1 0 0 0 0];
internalField uniform (0 0 0);
boundaryField { movingWall { type fixedValue; value uniform (1 0 0); } fixedWalls { type noSlip; } }
)";

// The Courant number is 0.5: the lid moves half a cell in a step.
double seconds_per_step(std::int64_t cells) { return 0.05 / static_cast<double>(cells); }

}  // namespace

Case case_named(const std::string& name) {
  if (name == "cavity") return Case::Cavity;
  if (name == "motorBike") return Case::MotorBike;
  throw std::invalid_argument("there is no case " + name + ": choose cavity or motorBike");
}

std::int64_t cells_of(const Options& options) {
  return case_named(options.name) == Case::Cavity ? options.cells * options.cells * options.cells : kMotorBikeCells;
}

std::map<std::string, double> expected_residuals(const Options& options) {
  if (case_named(options.name) != Case::Cavity || options.iterations != 20) return {};
  if (options.cells == 24) return {{"Ux", 0.001347}, {"Uy", 0.002598}};
  if (options.cells == 64) return {{"Ux", 0.003112}, {"Uy", 0.006508}};
  if (options.cells == 128) return {{"Ux", 0.003891}, {"Uy", 0.008562}};
  return {};
}

std::string solver_of(Case which) { return which == Case::Cavity ? "icoFoam" : "simpleFoam"; }

std::int64_t memory_bytes(std::int64_t cells) { return (std::int64_t{256} << 20) + cells * 3000; }

std::array<std::int64_t, 3> divide(std::int64_t ranks) {
  std::array<std::int64_t, 3> best{ranks, 1, 1};
  for (std::int64_t z = 1; z * z * z <= ranks; ++z) {
    if (ranks % z != 0) continue;
    for (std::int64_t y = z; y * y <= ranks / z; ++y) {
      if ((ranks / z) % y == 0 && ranks / z / y + y + z <= best[0] + best[1] + best[2]) best = {ranks / z / y, y, z};
    }
  }
  return best;
}

std::map<std::string, std::string> files(const Options& options, std::int64_t ranks) {
  const Case which = case_named(options.name);
  const double step = which == Case::Cavity ? seconds_per_step(options.cells) : 1;
  std::map<std::string, std::string> all = {
      {"system/controlDict", dictionary("dictionary", "controlDict", control(solver_of(which), step, options.iterations))},
      {"system/decomposeParDict", dictionary("dictionary", "decomposeParDict", decomposition(ranks))},
  };
  if (which == Case::MotorBike) return all;
  all["system/blockMeshDict"] = dictionary("dictionary", "blockMeshDict", block(options.cells));
  all["system/fvSchemes"] = dictionary("dictionary", "fvSchemes", kSchemes);
  all["system/fvSolution"] = dictionary("dictionary", "fvSolution", kSolution);
  all["constant/transportProperties"] = dictionary("dictionary", "transportProperties", "nu [0 2 -1 0 0 0 0] 0.01;\n");
  all["0/p"] = dictionary("volScalarField", "p", kPressure);
  all["0/U"] = dictionary("volVectorField", "U", kVelocity);
  return all;
}

}  // namespace assay::openfoam
