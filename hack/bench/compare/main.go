package main

import (
	"fmt"

	"github.com/assay-dev/assay/internal/compare/simulate"
)

func main() {
	fmt.Println("n p paired claim heavy |FPR m20 cover| 1% 2% 5%")
	for _, paired := range []bool{true, false} {
		for _, c := range []struct{ n, p int }{{1, 8}, {2, 8}, {4, 8}, {8, 8}, {12, 8}, {128, 1}} {
			for _, claim := range []float64{1, 0.5, 2} {
				for _, heavy := range []bool{false, true} {
					w := simulate.World{Nodes: c.n, Parts: c.p, Paired: paired, Metrics: 20, Run: 0.004, Part: 0.01, Node: 0.005, Claim: claim, Heavy: heavy}
					trials := 400
					s := w.Play(trials, 1)
					fmt.Printf("%d %d %v %v %v | %.3f %.3f |", c.n, c.p, paired, claim, heavy, float64(s.Wrong)/float64(trials), float64(s.Covered)/float64(trials))
					for _, e := range []float64{0.01, 0.02, 0.05} {
						w.Effect = e
						s := w.Play(100, 2)
						fmt.Printf(" %.2f", float64(s.Found)/100)
					}
					fmt.Println()
				}
			}
		}
	}
}
