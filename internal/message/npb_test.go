package message

func init() {
	samples = append(samples, sample{"NPBUnsuccessful", NPBUnsuccessful("CG", "B")})
}
