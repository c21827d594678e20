package campaign

import "time"

// rarity is what comes seldom, and must do no harm all the same.
func (g generator) rarity() {
	n, at := g.node(), g.at(10*time.Minute)
	h := Happening{At: at}
	switch g.IntN(9) {
	case 0, 1:
		h.What, h.Name, h.Times = "a program is disturbed on", n, 1
	case 2:
		h.What, h.Number = "somebody upgrades the catalogue", 2+g.IntN(3)
	case 3:
		h.What, h.Number = "two more leaders", 1+g.IntN(40)
	case 4:
		h.What, h.Kind, h.Verb, h.Times, h.For = "a quota refuses", "Pod", "create", lasting, g.at(5*time.Minute)
	case 5:
		h.What, h.Times, h.For = "the namespace is terminating", lasting, g.at(4*time.Minute)
	case 6:
		h.What = "somebody deletes an MPIJob"
	case 7:
		h.What, h.Times, h.For = "the kind of MPIJobs is gone", lasting, g.at(4*time.Minute)
	case 8:
		h = Happening{At: at, What: "somebody creates policy", Name: "other", Flag: g.one(2), For: 400 * time.Second}
	}
	g.add(h)
}
