package message

import "github.com/assay-dev/assay/api/v1alpha1"

func init() {
	nodes := &v1alpha1.Curve{Metric: "simulationRate", Of: "node", Unit: "ns/day", Scaling: v1alpha1.ScalingStrong, Points: []v1alpha1.CurvePoint{
		{Size: 1, Value: "125.2", Efficiency: "1"}, {Size: 2, Value: "238", Efficiency: "0.9505"}, {Size: 4, Message: "killed after 10m"}}}
	gpus := &v1alpha1.Curve{Metric: "nbody", Of: "gpu", Unit: "TFLOP/s", Scaling: v1alpha1.ScalingStrong, Points: []v1alpha1.CurvePoint{
		{Size: 1, Value: "0", Efficiency: ""}, {Size: 2, Value: "55"}}}
	samples = append(samples,
		sample{"CurveOf", CurveOf(nodes)},
		sample{"CurveOf", CurveOf(gpus)},
		sample{"ReportCurves", ReportCurves()},
		sample{"ReportCurve", ReportCurve("gromacs-cluster", Nodes([]string{"node-1", "node-2", "node-3", "node-4"}), nodes)},
		sample{"ReportMoreCurves", ReportMoreCurves(1)},
		sample{"ReportMoreCurves", ReportMoreCurves(3)},
	)
}
