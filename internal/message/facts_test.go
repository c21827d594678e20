package message

func init() {
	const failed = "node rate 42 GB/s: expected at least 100 GB/s; confirmed: mean of 2 measurements"
	governor := Difference{Fact: "governor", Parts: []string{""}, Value: "powersave", Most: "performance", Having: 47, Nodes: 48}
	vbios := Difference{Fact: "vbios", Parts: []string{"gpu0", "gpu3"}, Value: "96.00.A5", Most: "96.00.B1", Having: 47, Nodes: 48}
	samples = append(samples,
		sample{"FactDiffers", FactDiffers("eccMode", []string{"gpu3"}, []string{"GPU-7f3a"}, "Disabled", "Enabled")},
		sample{"FactDiffers", FactDiffers("eccMode", []string{"gpu0", "gpu3"}, nil, "Disabled", "Enabled")},
		sample{"FactDiffers", FactDiffers("governor", []string{""}, nil, "powersave", "performance")},
		sample{"FactBelow", FactBelow("pcieWidth", []string{"gpu3"}, []string{"GPU-7f3a"}, "8", "16", true)},
		sample{"FactBelow", FactBelow("memorySpeed", []string{""}, nil, "unknown", "4800", false)},
		sample{"FactNotReported", FactNotReported("eccMode")},
		sample{"FactNotUniform", FactNotUniform("vbios", []string{"gpu3"}, []string{"GPU-7f3a"}, "96.00.A5", "96.00.B1", 3, 125, 128)},
		sample{"FactNotUniform", FactNotUniform("biosVersion", []string{""}, nil, "1.2", "1.4", 1, 47, 48)},
		sample{"FactNotCompared", FactNotCompared("vbios", "gpu3", "96.00.A5", "96.00.B1", 1, 3)},
		sample{"FactNotCompared", FactNotCompared("biosVersion", "", "1.2", "1.4", 4, 3)},
		sample{"ReportMoreFacts", ReportMoreFacts("inventory", 4)},
		sample{"AndAlso", AndAlso(failed, FactDiffers("governor", []string{""}, nil, "powersave", "performance"))},
		sample{"AlsoDiffers", AlsoDiffers(failed, []Difference{governor})},
		sample{"AlsoDiffers", AlsoDiffers(failed, []Difference{governor, vbios, governor, governor, governor})},
	)
}
