package vector

// dots returns the dot products of q with a and with b, all of one length. Two rows at a time read q once for both,
// and four sums each keep the adders busy; each row's sum is built in the same order whatever the other row is, so
// that a score does not depend on what stands beside it.
func dots(q, a, b []float32) (float32, float32) {
	var a0, a1, a2, a3, b0, b1, b2, b3 float32
	// The conditions on all three spare the bounds checks in the loop.
	for len(q) >= 8 && len(a) >= 8 && len(b) >= 8 {
		a0 += q[0] * a[0]
		b0 += q[0] * b[0]
		a1 += q[1] * a[1]
		b1 += q[1] * b[1]
		a2 += q[2] * a[2]
		b2 += q[2] * b[2]
		a3 += q[3] * a[3]
		b3 += q[3] * b[3]
		a0 += q[4] * a[4]
		b0 += q[4] * b[4]
		a1 += q[5] * a[5]
		b1 += q[5] * b[5]
		a2 += q[6] * a[6]
		b2 += q[6] * b[6]
		a3 += q[7] * a[7]
		b3 += q[7] * b[7]
		q, a, b = q[8:], a[8:], b[8:]
	}
	for i, x := range q {
		a0 += x * a[i]
		b0 += x * b[i]
	}
	return (a0 + a1) + (a2 + a3), (b0 + b1) + (b2 + b3)
}
