"""Functions of SciPy's and others' without a counterpart: what an Op's perform would call."""

from __future__ import annotations

#: SciPy's and others' functions of values: by the name that a perform calls them by.
PERFORMED: dict[str, str] = {
    "scipy.special": """
        agm airy erfinv gammainc airye assoc_laguerre bdtr bdtrc bdtri bei beip ber berp
        bernoulli besselpoly betainc betaincc betaincinv chdtr chdtrc chdtri chndtr dawsn diric
        ellip_harm ellipe ellipeinc ellipj ellipk ellipkinc ellipkm1 elliprc elliprd elliprf
        elliprg elliprj erfcinv erfcx erfi eval_chebyc eval_chebyt eval_chebyu eval_gegenbauer
        eval_genlaguerre eval_hermite eval_hermitenorm eval_jacobi eval_laguerre eval_legendre
        exp1 expi expn factorial2 factorialk fdtr fdtrc fdtri fresnel gammaincc gammainccinv
        gammaincinv gammasgn gdtr gdtrc h1vp h2vp hankel1 hankel1e hankel2 hankel2e hyp0f1
        hyp1f1 hyp2f1 hyperu i0 i0e i1 i1e iv ive ivp j0 j1 jn jv jve jvp k0 k0e k1 k1e kei keip
        kelvin ker kerp kn kolmogi kolmogorov kv kve kvp lambertw legendre_p lpmv mathieu_a
        mathieu_b modstruve nbdtr nbdtrc nbdtri ndtri ndtri_exp owens_t pdtr pdtrc pdtri
        roots_chebyt roots_hermite roots_jacobi roots_laguerre roots_legendre shichi sici
        smirnov smirnovi spence sph_harm sph_harm_y log_ndtr spherical_in spherical_jn spherical_kn
        spherical_yn stdtr stdtridf stdtrit stirling2 struve tklmbda voigt_profile wofz
        wright_bessel wrightomega y0 y1 yn yv yve yvp zeta zetac gammal gammau igamma igammac
        erf_inv bessel_jn bessel_i0e bessel_i1e chi2sf
        """,
    "scipy.linalg": """
        bandwidth expm lu cdf2rdf coshm cosm cossin diagsvd eig_banded eigh_tridiagonal
        eigvals_banded eigvalsh_tridiagonal expm_cond expm_frechet fractional_matrix_power funm
        hessenberg ldl logm matmul_toeplitz matrix_balance null_space ordqz orth
        orthogonal_procrustes pinvh qr_delete qr_insert qr_multiply qr_update qz rq rsf2csf
        schur signm sinhm sinm solve_continuous_are solve_continuous_lyapunov solve_discrete_are
        solve_discrete_lyapunov solve_lyapunov solve_sylvester sqrtm subspace_angles svdvals
        tanhm tanm clarkson_woodruff_transform custom_linear_solve custom_root matrix_exp
        lu_unpack geqrf symeig pivot_to_permutations
        """,
    "scipy.integrate": "simpson",
    "torch": """
        topk kthvalue bucketize histc msort combinations renorm stft unfold top_k approx_max_k
        logdet sort_key_val population_count clz confusion_matrix interpolate
        """,
}

__all__ = ["PERFORMED"]
